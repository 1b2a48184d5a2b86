import { describe, expect, it } from 'vitest'
import { browserFlag } from '../../origin/stack/browser-flag.ts'
import { installed, launchChromium } from './chromium.ts'
import { Walks } from './walks.ts'
import { actionWalks } from './walks/actions.ts'
import { approveWalks } from './walks/approve.ts'
import { attackWalks } from './walks/attacks.ts'
import { auditLogWalks } from './walks/audit-log.ts'
import { consoleWalks } from './walks/console.ts'
import { creditWalks } from './walks/credits.ts'
import { docsWalks } from './walks/docs.ts'
import { failureWalks } from './walks/failures.ts'
import { ownershipWalks } from './walks/ownership.ts'
import { passkeyWalks } from './walks/passkey.ts'
import { policyWalks } from './walks/policies.ts'
import { requestWalks } from './walks/request.ts'
import { runWalks } from './walks/runs.ts'
import { signInWalks } from './walks/sign-in.ts'
import { transactionWalks } from './walks/transactions.ts'
import { triggerChangeWalks } from './walks/trigger-changes.ts'
import { triggerFormWalks } from './walks/trigger-forms.ts'
import { walletAttackWalks } from './walks/wallet-attacks.ts'

// A single file, because none of these tests kills a part of the stack: they share the stack and one browser.
describe.skipIf(!installed)('a user in a browser', () => {
  const walks = new Walks()

  describe('signing in', () => {
    it('trusts the origin with the printed browser flag, and not without it', async () => {
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

  describe('console', () => {
    consoleWalks(walks)
    policyWalks(walks)
    ownershipWalks(walks)
    walletAttackWalks(walks)
    actionWalks(walks)
    creditWalks(walks)
    auditLogWalks(walks)
  })

  describe('triggers', () => {
    triggerFormWalks(walks)
    triggerChangeWalks(walks)
    runWalks(walks)
    transactionWalks(walks)
    docsWalks(walks)
  })
})
