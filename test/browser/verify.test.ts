import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openToPages } from '../doubles/open-node.ts'
import { type StartedStack, startStack } from '../system/stack.ts'
import { installed, launchChromium } from './chromium.ts'
import { judge } from './judged-page.ts'

/** Path of the evidence, with the nonce. */
const BUNDLE = '/attestation/bundle?nonce=*'

describe.skipIf(!installed)('the /verify page', () => {
  let stack: StartedStack
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  let asked: Set<string>

  beforeAll(async () => {
    stack = await startStack()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
  })
  beforeEach(async () => {
    // Chromium does not trust the local stack's CA. In production the origin's certificate is publicly trusted.
    context = await browser.newContext({ ignoreHTTPSErrors: true })
    page = await context.newPage()
    complaints = []
    asked = new Set()
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
  })
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  const heading = () => page.getByRole('heading', { level: 1 }).innerText()
  const rules = () => page.locator('#rules li').allInnerTexts()
  const judged = () => page.getByRole('heading', { level: 1, name: /^[A-Z]+: / }).waitFor()
  /** Modifies the origin's response at a path before it reaches the page. */
  const altered = (path: string, change: (body: string) => string) =>
    page.route(`${stack.baseUrl}${path}`, async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: change(await response.text()) })
    })

  it('says SIMULATED in the title and the first line, and checks the rules in the browser', async () => {
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    expect(await page.title()).toMatch(/^SIMULATED: /)
    expect(await heading()).toBe(await page.title())
    const shown = await rules()
    expect(shown).toHaveLength(7)
    for (const [index, name] of ['quote', 'compose hash', 'images', 'evidence files'].entries())
      expect(shown[index]).toMatch(new RegExp(`^${name}: passed\\.`))
    expect(shown[4]).toMatch(/^certificate: not checked here\. Web pages cannot read/)
    expect(shown[5]).toMatch(/^CAA: not checked here\./)
    expect(await page.locator('pre').innerText()).toBe(
      `npx --no-install svc verify ${stack.baseUrl}`,
    )
    expect(complaints, 'nothing was blocked by the page’s own policy').toEqual([])
    expect([...asked].toSorted()).toEqual([stack.triggersUrl, stack.baseUrl].toSorted())
    // The limit includes the verifier, which is the main content of the page.
    await judge(page, 'verify', { maxLoadedBytes: 1024 * 1024 })
  })

  it('queries only the node that a user enters by keyboard', async () => {
    const node = await openToPages(stack.stack.chainUrl)
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    await page.getByLabel(/governance contract/).focus()
    await page.keyboard.type(node.url)
    await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
    await judged()
    expect(page.url()).toBe(`${stack.triggersUrl}/verify`)
    expect((await rules())[6]).toMatch(/^governance: passed\./)
    expect(complaints).toEqual([])
    expect([...asked].toSorted()).toEqual([stack.triggersUrl, stack.baseUrl, node.url].toSorted())
    node.close()
  })

  it('checks the other rules if the node does not allow requests from web pages', async () => {
    await page.goto(`${stack.triggersUrl}/verify`)
    await page.getByLabel(/governance contract/).fill(stack.stack.chainUrl)
    await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
    await judged()
    expect(await page.title()).toMatch(/^SIMULATED: /)
    expect((await rules())[6]).toMatch(/^governance: not checked here\. The node did not respond/)
  })

  it('reports FAILED if the compose file was replaced in transit', async () => {
    await altered(BUNDLE, (body) => body.replaceAll('SVC_ENV=production', 'SVC_ENV=elsewhere'))
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    expect(await page.title()).toMatch(/^FAILED: /)
    expect((await rules())[1]).toMatch(/^compose hash: FAILED\./)
  })

  it('queries the contract also for a host that formats its IDs differently', async () => {
    const otherwise = (body: string) => body.replace('"app_id":"', '"app_id":"0x')
    await altered(BUNDLE, otherwise)
    const node = await openToPages(stack.stack.chainUrl)
    try {
      await page.goto(`${stack.triggersUrl}/verify`)
      await judged()
      await page.getByLabel(/governance contract/).fill(node.url)
      await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
      await judged()
      expect((await rules())[6]).toMatch(/^governance: passed\./)
    } finally {
      node.close()
    }
  })

  it('says FAILED of an old quote that is sent again for its nonce', async () => {
    let first: string | undefined
    await altered(BUNDLE, (body) => (first ??= body))
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    await page.reload()
    await judged()
    expect(await page.title()).toMatch(/^FAILED: /)
    expect((await rules())[0]).toMatch(/^quote: FAILED\./)
  })

  it('XSS: reports FAILED and shows markup in evidence as text', async () => {
    await altered(BUNDLE, (body) => {
      const bundle = JSON.parse(body)
      bundle.files['sha256sum.txt'] = '<img src=x onerror=alert(1)>\n'
      return JSON.stringify(bundle)
    })
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    expect(await page.title()).toMatch(/^FAILED: /)
    expect(await page.locator('img').count()).toBe(0)
  })

  it('reports FAILED if there is no evidence', async () => {
    await page.route(`${stack.baseUrl}${BUNDLE}`, (route) => route.abort())
    await page.goto(`${stack.triggersUrl}/verify`)
    await judged()
    expect(await page.title()).toMatch(/^FAILED: /)
    expect(await page.getByRole('status').innerText()).toContain('nothing to verify')
  })
})
