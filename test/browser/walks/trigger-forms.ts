import { JsonRpcProvider } from 'ethers'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { deployDemoToken } from '../../../origin/stack/demo-token/deploy.ts'
import { fundedWallets } from '../../../origin/stack/funded-wallets.ts'
import { evaluate } from '../evaluate.ts'
import { heldBack } from '../held-back.ts'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'
import { usageKeyForAll } from '../usage-key.ts'
import type { Visitor } from '../visitor.ts'

const ECHO = 'async function main(params) {\n  return params\n}'
const MAIL = 'forms@example.com'
/** With the examples and the editor, which are loaded on demand. */
const WITH_EXAMPLES = 1024 * 1024

export function triggerFormWalks(walks: Walks): void {
  it('creates a webhook from the data of the console, pauses it and deletes it', async () => {
    const visitor = await walks.signedIn(MAIL)
    const { page } = visitor
    await visitor.open('/triggers')
    await visitor.onward(() => page.getByRole('link', { name: 'New trigger' }).click())
    await judge(page, 'trigger-kinds')
    const handed = {
      name: 'sign each payment',
      action_code: ECHO,
      usage_api_key: 'a-usage-key-of-nobody',
      default_params: { wallet: '0x00000000000000000000000000000000000000aa' },
    }
    const text = JSON.stringify(JSON.stringify(handed))
    await evaluate(page, `sessionStorage.setItem('svc/new-trigger', ${text})`)
    await visitor.onward(() => page.getByRole('link', { name: 'New webhook' }).click())
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('sign each payment')
    expect(await page.getByLabel('Usage key').inputValue()).toBe('a-usage-key-of-nobody')
    expect(await page.getByLabel('Default params').inputValue()).toContain('00aa')
    expect(await evaluate(page, 'sessionStorage.length')).toBe(0)
    await judge(page, 'trigger-new-webhook')
    await visitor.press('Create trigger')
    expect(page.url()).toMatch(/\/triggers\/[^/]+\?created=1&key=unknown$/)

    await visitor.open('/triggers')
    const row = page.getByRole('row').filter({ hasText: 'sign each payment' })
    expect(await row.innerText()).toContain(`${walks.triggersUrl}/webhook/`)
    await visitor.press('Pause sign each payment')
    expect(await page.getByRole('status').innerText()).toContain('Trigger paused')
    expect(await row.innerText()).toContain('Paused')
    await judge(page, 'triggers-paused')

    await visitor.onward(() => row.getByRole('link', { name: 'Edit' }).click())
    await judge(page, 'trigger-edit')
    // A key that the console left in this tab is for a new trigger. Saving must not assign it to this one.
    await evaluate(page, `sessionStorage.setItem('svc/new-trigger', ${text})`)
    await page.reload({ waitUntil: 'domcontentloaded' })
    expect(await page.getByLabel('Usage key').inputValue()).toBe('')
    await page.getByText('Delete this trigger').click()
    await judge(page, 'trigger-delete')
    // The editor loads while the user has all text selected to replace it.
    const editor = await heldBack(page, '**/scripts/editor.js')
    await page.getByLabel('Action source').click()
    await page.keyboard.press('Control+A')
    editor()
    await page.locator('.cm-content').waitFor()
    await page.keyboard.insertText(ECHO.replace('params)', 'given)'))
    expect(await page.locator('#action_code').inputValue()).toBe(ECHO.replace('params)', 'given)'))
    await visitor.press('Delete permanently: sign each payment')
    expect(await page.getByRole('status').innerText()).toContain('Trigger deleted')
    expect(await row.count()).toBe(0)
  })

  it('checks expressions while typing: on a sample event, and later on the events of the trigger', async () => {
    const visitor = await walks.signedIn(MAIL)
    const { page } = visitor
    const checked = page.getByRole('region', { name: 'Check of expressions' })
    const filter = page.getByLabel('Filter')
    await visitor.open('/triggers/new?kind=webhook')
    await page.getByLabel('Name').fill('large payments')
    await page.getByLabel('Action source').fill(ECHO)
    await page.getByLabel('Usage key').fill('a-usage-key-of-nobody')
    await page.getByText('Limits and options').click()
    await filter.fill('event.amount >')
    await checked.getByText('Invalid expression.').waitFor()
    expect(await filter.getAttribute('aria-invalid')).toBe('true')
    await judge(page, 'trigger-expression-wrong', { maxLoadedBytes: WITH_EXAMPLES })
    await page.getByLabel('Sample event').fill('{"amount": 700}')
    await filter.fill('event.amount > 500.0')
    await checked.getByText('true on the sample event').waitFor()
    expect(await filter.getAttribute('aria-invalid')).toBe('false')
    await judge(page, 'trigger-expression-sample', { maxLoadedBytes: WITH_EXAMPLES })
    await visitor.press('Create trigger')

    const id = /\/triggers\/([^/?]+)\?/.exec(page.url())![1]!
    for (const amount of [100, 900])
      await fetch(`${walks.triggersUrl}/webhook/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ amount }),
      })
    await visitor.open(`/triggers/${id}/edit`)
    await page.getByText('Limits and options').click()
    await checked.getByText('The filter matches 1 of the latest 1 events.').waitFor()
    await filter.fill('event.amount > 1000.0')
    await checked.getByText('The filter matches 0 of the latest 1 events.').waitFor()
    expect(await checked.getByRole('row').count()).toBe(2)
    await judge(page, 'trigger-expression-events', { maxLoadedBytes: WITH_EXAMPLES })
    await filter.fill('')
    await checked.getByText('Valid.').waitFor({ state: 'detached' })

    const check = '**/triggers/preview/expressions'
    await page.route(check, (route) => route.abort())
    await filter.fill('event.amount > 1.0')
    await checked.getByText(/try again/i).waitFor()
    expect(await checked.innerText()).not.toContain('Invalid expression.')
    expect(await filter.getAttribute('aria-invalid')).toBe('false')
    await page.unroute(check)
  })

  it('creates a schedule with the keyboard only, and previews its times while typing', async () => {
    const visitor = await walks.signedIn(MAIL)
    const { page } = visitor
    const { keyboard } = page
    await visitor.open('/triggers/new?kind=schedule')
    await tabTo(page, '#name')
    await keyboard.type('each morning')
    await keyboard.press('Tab')
    await keyboard.type('*/5 * * * * *')
    const shown = page.getByRole('region', { name: 'Preview' })
    await shown.getByText('are 5 s apart').waitFor()
    expect(await page.getByLabel('Cron').getAttribute('aria-invalid')).toBe('true')
    await judge(page, 'trigger-cron-wrong')
    await page.getByLabel('Cron').focus()
    await keyboard.press('Control+A')
    await keyboard.type('0 9 * * 1-5')
    await shown.getByText('Next run times').waitFor()
    expect(await shown.getByRole('row').count()).toBe(6)
    expect(await shown.innerText()).toContain('Local (')
    await judge(page, 'trigger-cron-checked')

    await page.getByLabel('Cron').focus()
    await tabTo(page, '#examples > summary')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Start from price-feed' }).waitFor()
    expect(await page.getByRole('button', { name: 'Start from webhook' }).count()).toBe(0)
    await judge(page, 'trigger-examples', { maxLoadedBytes: WITH_EXAMPLES })
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.locator('.editor').waitFor()
    const source = page.locator('#action_code')
    expect(await source.inputValue()).toContain('SPREAD_MAX')
    expect(await page.getByLabel('Default params').inputValue()).toContain('the wallet oracle')
    await keyboard.press('Control+A')
    await keyboard.insertText(ECHO)

    await keyboard.press('Escape')
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    const keep = page.locator('button:focus', { hasText: 'Keep it' })
    await keep.waitFor()
    await judge(page, 'trigger-example-replaces', { maxLoadedBytes: WITH_EXAMPLES })
    await keyboard.press('Enter')
    expect(await source.inputValue()).toBe(ECHO)
    await keyboard.press('Enter')
    await keep.waitFor()
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    expect(await source.inputValue()).toContain('SPREAD_MAX')
    await keyboard.press('Control+A')
    await keyboard.insertText(ECHO)
    await leaveEditor(page, '#usage_api_key')
    await keyboard.type('a-usage-key-of-nobody')
    await visitor.onward(() => keyboard.press('Enter'))
    expect(page.url()).toContain('?created=1')
    await visitor.open('/triggers?kind=schedule')
    expect(await page.getByRole('main').innerText()).toContain('Monday to Friday at 09:00 UTC')
  })

  it('creates a chain event trigger, previews matching transfers, and shows the run of the next one', async () => {
    const { chainUrl } = walks.stack.stack
    const { wallet, close } = fundedWallets(chainUrl)
    const node = new JsonRpcProvider(chainUrl, undefined, { staticNetwork: true })
    const token = await deployDemoToken(await wallet())
    const friend = '0x1234567890AbcdEF1234567890aBcdef12345678'
    const transfer = async (amount: bigint): Promise<string> => {
      const sent = await token.getFunction('transfer').send(friend, amount)
      await sent.wait()
      await node.send('anvil_mine', ['0x8'])
      return sent.hash
    }
    await transfer(1_500n)

    const visitor = await walks.signedIn(MAIL)
    const { page } = visitor
    await visitor.open('/triggers/new?kind=chain_event')
    await page.getByLabel('Name').fill('each transfer')
    await page.getByLabel('Contract', { exact: true }).fill(token.target as string)
    await page.getByLabel('Event', { exact: true }).fill('Transfer(address,adress,uint256)')
    const shown = page.getByRole('region', { name: 'Preview' })
    await shown.getByText('At position').waitFor()
    await page
      .getByLabel('Event', { exact: true })
      .fill('Transfer(address indexed from, address indexed to, uint256 value)')
    await shown.getByText('Matching events in').waitFor()
    expect(await shown.innerText()).toContain('Transfer(address,address,uint256)')
    expect(await shown.innerText()).toContain('1500')
    await judge(page, 'trigger-logs')
    await page.getByText('Filters and past logs').click()
    await page.getByLabel('Topic 1').fill('0x12')
    await shown.getByText('32-byte topic').waitFor()
    await judge(page, 'trigger-topics')
    await page.getByLabel('Topic 1').fill('')
    await shown.getByText('Matching events in').waitFor()
    await fillAction(visitor, await usageKeyForAll(walks.stack))
    await visitor.press('Create trigger')
    expect(page.url()).toMatch(/\?created=1$/)
    const hash = await transfer(2_700n)
    node.destroy()
    close()
    const row = page.locator('.runs > li').filter({ hasText: 'Succeeded' })
    await row.waitFor({ timeout: 60_000 })
    await visitor.onward(() => row.getByRole('link').click())
    const run = await page.locator('#run').innerText()
    for (const said of [hash, '2700', friend]) expect(run).toContain(said)
    await judge(page, 'run-of-event')
    await visitor.open('/triggers?kind=chain_event')
    expect(await page.getByRole('main').innerText()).toContain(
      `on Transfer(address,address,uint256) from ${token.target as string} on ethereum`,
    )
  })

  it('checks a schedule, corrects errors and changes it later without scripts', async () => {
    const visitor = await walks.signedIn(MAIL)
    const { page } = visitor
    await page.route('**/scripts/**', (route) => route.abort())
    await visitor.open('/triggers/new?kind=schedule')
    await page.getByLabel('Cron').fill('0 9 * *')
    await visitor.press('Check')
    expect(await page.getByRole('alert').innerText()).toMatch(/^Expected 5 fields/)
    await page.getByLabel('Cron').fill('0 9 * * *')
    await visitor.press('Check')
    expect(await page.getByRole('region', { name: 'Preview' }).innerText()).toContain('09:00:00')
    await evaluate(page, 'document.querySelector("#trigger-form").noValidate = true')
    await page.getByLabel('Default params').fill('{"wallet": }')
    await visitor.press('Create trigger')
    expect(await page.getByRole('alert').count()).toBe(4)
    await judge(page, 'trigger-problems')
    await page.getByLabel('Name').fill(LONG)
    await page.getByLabel('Default params').fill('{}')
    await page.getByLabel('Action source').fill(ECHO)
    await page.getByLabel('Usage key').fill('a-usage-key-of-nobody')
    await visitor.press('Create trigger')
    const id = /\/triggers\/([^?]+)\?created=1/.exec(page.url())![1]!
    await visitor.open('/triggers')
    await judge(page, 'triggers-long-names')

    const elsewhere = await visitor.context.newPage()
    await elsewhere.route('**/scripts/**', (route) => route.abort())
    await elsewhere.goto(`${walks.triggersUrl}/triggers/${id}/edit`)
    await visitor.open(`/triggers/${id}/edit`)
    await page.getByLabel('Cron').fill('0 10 * * *')
    await visitor.press('Save')
    expect(page.url()).toContain(`/triggers/${id}?changed=1`)
    await elsewhere.getByLabel('Cron').fill('0 11 * * *')
    await elsewhere.getByRole('button', { name: 'Save' }).click()
    await elsewhere.getByText('after this form was opened').waitFor()
    await judge(elsewhere, 'trigger-overtaken')
    await elsewhere.close()
  })
}

/** A name of the maximum length, with few line break opportunities. */
const LONG = `${'w'.repeat(100)} ${'payments of many shops '.repeat(4)}`.slice(0, 200)

async function fillAction({ page }: Visitor, usageKey: string): Promise<void> {
  await page.getByLabel('Usage key').fill(usageKey)
  await page.locator('#action_code').focus()
  await page.locator('.editor').waitFor()
  await page.keyboard.insertText(ECHO)
}

/** Leaves the editor with Escape, then Tab within two seconds. Retries, because a busy machine may be too slow. */
async function leaveEditor(page: Page, next: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Escape')
        await page.keyboard.press('Tab')
        return page.locator(`${next}:focus`).count()
      },
      { timeout: 20_000 },
    )
    .toBe(1)
}

/**
 * Moves the focus by Tab, like a keyboard user. Also stops at the editor, which replaces its field once loaded.
 * @throws {Error} if the element is not reached
 */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    if (await page.locator(`${selector}:focus, .editor:focus-within`).count()) return
  }
  throw new Error(`${selector} is not reached by Tab`)
}
