import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserFlag } from '../../origin/stack/browser-flag.ts'
import { type StartedStack, startStack } from '../system/stack.ts'

const executablePath = '/usr/bin/chromium'
const installed = existsSync(executablePath)
if (!installed) console.warn(`no ${executablePath}: the tests in a browser are skipped`)

const args = [
  // Chromium's own sandbox needs rights that a container does not give; the pages are ours.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Sends a form, and waits for the page that it brings. */
async function submitted(page: Page, send: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('domcontentloaded'), send()])
}

describe.skipIf(!installed)('a person with a browser', () => {
  let started: StartedStack
  let browser: Browser
  beforeAll(async () => {
    started = await startStack()
    browser = await chromium.launch({ executablePath, args })
  })
  afterAll(async () => {
    await browser?.close()
    await started?.stop()
  })

  it('opens the origin with the printed flag, and not without it', async () => {
    const address = `${started.baseUrl}/info`
    const stranger = await browser.newPage()
    await expect(stranger.goto(address)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    const flag = browserFlag(started.stack.certificateFile)
    const flagged = await chromium.launch({ executablePath, args: [...args, flag] })
    try {
      const answer = await (await flagged.newPage()).goto(address)
      expect(answer?.status()).toBe(200)
    } finally {
      await flagged.close()
    }
  })

  it('signs in by the mailed link, approves a token by keyboard, and the token works', async () => {
    const token = randomBytes(48).toString('base64url')
    const challenge = createHash('sha256').update(token).digest('base64url')
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))

    await page.goto(`${started.triggersUrl}/agent/authorize?challenge=${challenge}`)
    await page.getByRole('textbox').fill('person@example.com')
    await submitted(page, () => page.keyboard.press('Enter'))
    await page.goto(`${started.triggersUrl}/dev/mailbox`)
    await page
      .getByRole('link', { name: /sign-in\/link/ })
      .first()
      .click()
    await page.getByRole('button', { name: /sign in/i }).click()

    // Back at the request that brought the person here; the button arms itself after a second.
    const authorize = page.getByRole('button', { name: 'Authorize' })
    await authorize.waitFor()
    await page.waitForTimeout(1_200)
    await authorize.focus()
    await submitted(page, () => page.keyboard.press('Enter'))

    const me = await fetch(`${started.triggersUrl}/api/me`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await me.json()).toMatchObject({ email: 'person@example.com' })
    expect(refused, 'nothing was blocked by the pages’ own policy').toEqual([])
  }, 60_000)
})
