import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atConsole, clientWithKey, connect, openAccount, settled } from '../at-console.ts'
import { evaluate } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import { launchChromiumThatKeepsPages } from '../chromium.ts'
import { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

const HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>\u202E'
const SHOWN = '<img src=x onerror=alert(1)>"><script>alert(2)</script>‹U+202E›'

// The chart is loaded only if there is data.
const WITH_CHART = { maxBytes: 120 * 1024, maxLoadedBytes: 1024 * 1024 }

const canBeSpent = (page: Page) => page.locator('.figures dd').first()

/** Starts a payment in the console and opens its page in another tab. */
async function payPage({ page, context, complaints }: Visitor, amount: string): Promise<Page> {
  await page.getByLabel('Amount in US dollars').fill(amount)
  await page.getByRole('button', { name: 'Start payment' }).click()
  const link = page.getByRole('link', { name: 'Open payment page' }).first()
  const [opened] = await Promise.all([context.waitForEvent('page'), link.click()])
  opened.on('pageerror', (error) => complaints.push(String(error)))
  opened.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await opened.getByLabel('Card number').waitFor()
  return opened
}

async function payByCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
}

/**
 * Attempts, within a page, to open a document of this site and to send a request from it, which the page's policy
 * forbids.
 */
const askedBy = (path: string) => `(async () => {
  const opened = open(${JSON.stringify(path)})
  for (let looks = 0; looks < 100; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    try {
      if (opened.location.href === 'about:blank' && !opened.closed) continue
      const answer = await opened.fetch('/docs/start')
      return 'answered ' + answer.status
    } catch {
      return 'cut off'
    }
  }
  return 'never came'
})()`

export function creditWalks(walks: Walks): void {
  const atCredits = async () => atConsole(walks, (await openAccount(walks)).apiKey, 'credits')

  it('adds funds by card and shows the new balance', async () => {
    const visitor = await atCredits()
    const { page } = visitor
    await page.getByText('$5.00', { exact: true }).first().waitFor()
    await judge(page, 'console-credits', WITH_CHART)
    await page.getByLabel('Amount in US dollars').fill('1')
    await page.getByRole('button', { name: 'Start payment' }).click()
    await page.getByText('The minimum is $5.00.').waitFor()

    const pay = await payPage(visitor, '25')
    expect(await pay.locator('#amount').innerText()).toBe('$25.00')
    await judge(pay, 'pay')
    await payByCard(pay, '4242 4242 4242 4242')
    await pay.getByText(/^Paid\./).waitFor()
    await settled(pay)
    await page.getByText('Credited.', { exact: true }).waitFor()
    await canBeSpent(page).filter({ hasText: '$30.00' }).waitFor()
    await judge(pay, 'pay-paid')
    await settled(page)
    await judge(page, 'console-credits-added', WITH_CHART)
  })

  it('shows a declined card on the payment page, and accepts another one', async () => {
    const visitor = await atCredits()
    const { page } = visitor
    const pay = await payPage(visitor, '10')
    await payByCard(pay, '4000000000000002')
    await pay.getByText('Your card was declined.').waitFor()
    await settled(pay)
    await judge(pay, 'pay-refused')
    await page.getByRole('button', { name: 'I have paid' }).click()
    await page.getByText('Not credited.').waitFor()
    await settled(page)
    await judge(page, 'console-credits-refused', WITH_CHART)
    await payByCard(pay, '4242424242424242')
    await page.getByText('Credited.', { exact: true }).waitFor()
    await canBeSpent(page).filter({ hasText: '$15.00' }).waitFor()
  })

  it('shows a pending payment as pending, and does not credit it', async () => {
    const visitor = await atCredits()
    const { page } = visitor
    const pay = await payPage(visitor, '10')
    await pay.getByLabel('Payment method').selectOption('Crypto')
    await pay.getByRole('button', { name: 'Pay', exact: true }).click()
    await pay.getByText(/^Payment pending\./).waitFor()
    await page.getByText(/^Pending\. Cards take seconds/).waitFor()
    await settled(page)
    await judge(page, 'console-credits-pending', WITH_CHART)
    expect(await canBeSpent(page).innerText()).toBe('$5.00')
  })

  it('shows charges as a chart and a table, and exports them as CSV', async () => {
    const { client, apiKey } = await openAccount(walks)
    await client.svcAction({ code: 'const main = () => 1' })
    await client.createWallet({ name: 'one' })
    const { page } = await atConsole(walks, apiKey, 'credits')
    const table = page.getByRole('table')
    await table.getByText('create_wallet').waitFor()
    await page.locator('.usage-chart canvas').waitFor()
    expect(await table.locator('tbody tr').count()).toBe(2)
    await judge(page, 'console-credits-usage', WITH_CHART)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^svc-usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
  })

  it('XSS: shows the name of a usage key in the statement as text', async () => {
    const { client, apiKey } = await openAccount(walks)
    const { usage_api_key } = await client.addUsageApiKey({
      name: HOSTILE,
      can_create_pkps: true,
    })
    await clientWithKey(walks, usage_api_key).createWallet({ name: 'one' })
    const { page } = await atConsole(walks, apiKey, 'credits')
    await page.getByRole('table').getByText(SHOWN.slice(0, 28)).waitFor()
    expect(await page.getByRole('table').innerText()).toContain(SHOWN)
    expect(await page.locator('main img').count()).toBe(0)
  })

  it('the payment page cannot read the key: it has no opener and a separate tab', async () => {
    const { apiKey } = await openAccount(walks)
    const visitor = await atConsole(walks, apiKey, 'credits')
    const pay = await payPage(visitor, '10')
    expect(await evaluate(pay, 'globalThis.opener')).toBeNull()
    expect(
      await evaluate(pay, 'Object.keys(sessionStorage).concat(Object.keys(localStorage))'),
    ).toEqual([])
    expect(await evaluate(pay, 'location.hash + document.cookie')).toBe('')
    expect(await pay.content()).not.toContain(apiKey)
  })

  it('confines the processor’s script: it cannot send requests through a document of this site that it opens', async () => {
    const pay = await payPage(await atCredits(), '10')
    for (const path of ['/scripts/pay.js', '/openapi.json', '/account'])
      expect(await evaluate(pay, askedBy(path))).toBe('cut off')
  })

  it('stolen key: does not load the processor’s script into a tab that keeps the key', async () => {
    const { apiKey } = await openAccount(walks)
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open('/console')
    await connect(visitor, apiKey, true)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    await visitor.open('/pay')
    await page.getByText('Payments are disabled in this tab').waitFor()
    expect(asked).not.toContain(walks.processor.url)
    await judge(page, 'pay-kept')
  })

  it('stolen key: Back restores neither the processor’s script in a tab that now keeps the key, nor a forgotten key', async () => {
    const { apiKey } = await openAccount(walks)
    const browser = await launchChromiumThatKeepsPages()
    try {
      const visitor = await Visitor.at(walks.triggersUrl, browser)
      const { page } = visitor
      await visitor.open('/pay')
      await evaluate(page, 'globalThis.script = "there"')
      await visitor.open('/console')
      await page.getByLabel('API key').waitFor()
      await page.goBack({ waitUntil: 'commit' })
      await page.getByText('Start the payment in the console').waitFor()
      expect(await evaluate(page, 'globalThis.script')).toBeUndefined()

      await visitor.open('/console')
      await connect(visitor, apiKey)
      await visitor.open('/docs')
      await page.goBack({ waitUntil: 'commit' })
      await page.getByLabel('API key').waitFor()
      expect(await page.locator('.view').count()).toBe(0)
    } finally {
      await browser.close()
    }
  })

  it('ignores the payment data in a hostile link to the payment page', async () => {
    const visitor = await walks.visitor()
    const { page } = visitor
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    const theirs = { clientSecret: 'pi_1_secret_2', publishableKey: 'pk_test_1', amountCents: 500 }
    await visitor.open(`/pay#${encodeURIComponent(JSON.stringify(theirs))}`)
    await page.getByText('Start the payment in the console').waitFor()
    expect(asked).not.toContain(walks.processor.url)
    expect(await page.locator('#payment').isVisible()).toBe(false)
    await judge(page, 'pay-nobody')
  })

  it('clickjacking: does not show the payment page in a frame of another site', async () => {
    const framing = `<!doctype html><iframe src="${walks.triggersUrl}/pay"></iframe>`
    const site = await walks.anotherSite({ '/': framing })
    const visitor = await walks.visitor()
    await visitor.page.goto(`${site.crossSite}/`)
    const frame = visitor.page.frames().find((one) => one !== visitor.page.mainFrame())
    expect(await frame?.locator('#payment').count()).toBe(0)
    // Discards the browser's console message about the blocked frame.
    visitor.complaints.length = 0
  })
}
