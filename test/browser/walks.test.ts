import { describe, expect, it } from 'vitest'
import { browserFlag } from '../../origin/stack/browser-flag.ts'
import { installed, launchChromium } from './chromium.ts'
import { Walks } from './walks.ts'
import { approveWalks } from './walks/approve.ts'
import { attackWalks } from './walks/attacks.ts'
import { failureWalks } from './walks/failures.ts'
import { requestWalks } from './walks/request.ts'
import { passkeyWalks } from './walks/passkey.ts'
import { signInWalks } from './walks/sign-in.ts'

describe.skipIf(!installed)('a person who signs in with a browser', () => {
  const walks = new Walks()

  it('opens the origin with the printed flag, and not without it', async () => {
    const address = `${walks.stack.baseUrl}/info`
    const { page } = await walks.visitor()
    await expect(page.goto(address)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    const flagged = await launchChromium(browserFlag(walks.stack.stack.certificateFile))
    try {
      const answer = await (await flagged.newPage()).goto(address)
      expect(answer?.status()).toBe(200)
    } finally {
      await flagged.close()
    }
  })

  signInWalks(walks)
  approveWalks(walks)
  requestWalks(walks)
  attackWalks(walks)
  failureWalks(walks)
  passkeyWalks(walks)
})
