import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atConsole, connect, openAccount, settled } from '../at-console.ts'
import { evaluate } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

/** Attacker-controlled text, to be shown and never interpreted. */
const HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>\u202Ejavascript:alert(3)'
const HOSTILE_SHOWN =
  '<img src=x onerror=alert(1)>"><script>alert(2)</script>‹U+202E›javascript:alert(3)'
const QUOTED = JSON.stringify(HOSTILE)

// The editor is loaded on demand, and the receipt verifier when a user requests it.
const WITH_EDITOR = { maxBytes: 120 * 1024, maxLoadedBytes: 1024 * 1024 }

const result = (page: Page) => page.locator('.result')
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

async function write(page: Page, source: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(source)
}

const completion = (page: Page, name: string) =>
  page.locator('.cm-tooltip-autocomplete').getByRole('option').filter({ hasText: name })

async function ranTo(page: Page, end: 'succeeded' | 'failed'): Promise<void> {
  await button(page, 'Run').click()
  await result(page).locator('.badge').filter({ hasText: end }).first().waitFor()
}

/** Checks that no markup was interpreted. The editor itself uses images as placeholders. */
async function nothingObeyed({ page }: Visitor): Promise<void> {
  expect(
    await page
      .locator('main img:not(.cm-widgetBuffer), main script:not([src]), a[href^="javascript:"]')
      .count(),
  ).toBe(0)
}

export function actionWalks(walks: Walks): void {
  const atActions = async () => atConsole(walks, (await openAccount(walks)).apiKey, 'actions')

  it('permits an action, runs it, and shows its response, logs and cost', async () => {
    const { client, apiKey } = await openAccount(walks)
    const { pkp_id, wallet_address } = await client.createWallet({ name: 'treasury' })
    await client.addGroup({ group_name: 'signers', pkp_ids_permitted: [pkp_id] })
    const visitor = await atConsole(walks, apiKey, 'actions')
    const { page } = visitor
    await page.getByText('No group permits this action.').waitFor()
    await judge(page, 'console-actions', WITH_EDITOR)

    await button(page, 'Permit').click()
    await page.getByText('Permitted in group 1, signers, with 1 wallet.').waitFor()
    await ranTo(page, 'succeeded')
    const shown = await result(page).innerText()
    expect(shown).toMatch(/"signature": "0x[0-9a-f]{130}"/)
    expect(shown).toContain(`signing for ${wallet_address}`)
    expect(shown).toMatch(/Charged\s+\$0\.01/)
    await result(page).getByText('Receipt', { exact: true }).click()
    await button(page, 'Verify').click()
    // A local stack has no hardware, so its receipt must not claim a trusted machine.
    await result(page).getByText('the root is simulated, but Intel').waitFor()
    await page.getByRole('link', { name: '$4.96' }).waitFor()
    await settled(page)
    await judge(page, 'console-actions-result', { ...WITH_EDITOR, maxLoadedBytes: 2 * 1024 * 1024 })
  })

  it('shows the error of a failed action, with a stack that links to the source', async () => {
    const visitor = await atActions()
    const { page } = visitor
    const source = `function check(amount) {\n  if (amount > 100) throw new RangeError('too much')\n}\n\nasync function main() {\n  console.log('checking')\n  check(500)\n}\n`
    await write(page, source)
    await ranTo(page, 'failed')
    expect(await result(page).innerText()).toMatch(/action_threw[\s\S]*too much[\s\S]*checking/)
    await result(page).getByRole('button', { name: 'Line 2' }).click()
    expect(await page.locator('.cm-marked').innerText()).toContain('throw new RangeError')
    await settled(page)
    await judge(page, 'console-actions-failed', WITH_EDITOR)

    await write(page, `${source}// changed\n`)
    await result(page).getByText('The source has changed since this run.').waitFor()
  })

  it('stops an endless action, and can wait again after the user stopped waiting', async () => {
    const visitor = await atActions()
    const { page } = visitor
    await write(page, 'async function main() { for (;;); }')
    await button(page, 'Run').click()
    await button(page, 'Stop waiting').click()
    await result(page)
      .getByText('Run 1 continues in the background; this page is no longer waiting for it.')
      .waitFor()
    await page.getByRole('link', { name: 'Credits', exact: true }).click()
    await page.getByRole('heading', { name: 'Balance' }).waitFor()
    await page.getByRole('link', { name: 'Actions', exact: true }).click()
    await button(page, 'Resume waiting').click()
    await result(page).getByRole('code').filter({ hasText: 'action_timeout' }).waitFor()
  })

  it('shows the position of invalid JSON in params, and runs nothing', async () => {
    const visitor = await atActions()
    const { page } = visitor
    await page.getByLabel('Params').fill('{\n  "a": oops\n}')
    await button(page, 'Run').click()
    await page.getByText('Invalid JSON at line 2, column 8').waitFor()
    await button(page, 'Show position').click()
    const at = await page
      .getByLabel('Params')
      .evaluate((area) => Reflect.get(area, 'selectionStart'))
    expect(at).toBe(9)
    expect(await result(page).innerText()).toBe('')
    await judge(page, 'console-actions-params', WITH_EDITOR)
  })

  it('registers, renames, and deletes an action after confirmation', async () => {
    const visitor = await atActions()
    const { page } = visitor
    await page.getByText('Register the source above').click()
    await page.getByLabel('Name', { exact: true }).fill('signer')
    await button(page, 'Register').click()
    await page.getByRole('heading', { name: 'signer' }).waitFor()
    await button(page, 'Rename signer').click()
    await page.getByLabel('Name', { exact: true }).fill('notary')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'notary' }).waitFor()
    await button(page, 'Delete notary…').click()
    await settled(page)
    await judge(page, 'console-actions-registered', WITH_EDITOR)
    await button(page, 'Delete notary').click()
    await page.getByText('No registered actions yet.').waitFor()
  })

  it('completes names, lets the keyboard leave the editor, and restores the source after a reload', async () => {
    const { apiKey } = await openAccount(walks)
    const visitor = await atConsole(walks, apiKey, 'actions')
    const { page } = visitor
    // Without the language service, the editor knows only a list of names.
    await page.route('**/scripts/language.js*', (route) => route.abort())
    await write(page, '')
    await page.keyboard.type('Svc.Actions.')
    await completion(page, 'sendTransaction').getByText('({ pkpId, chain, to').waitFor()
    await page.keyboard.press('Escape')

    const source = 'async function main() { return 7 }'
    await write(page, source)
    const editor = page.locator('.cm-content')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await editor.evaluate((element) => element.matches(':focus'))).toBe(false)
    await page.unroute('**/scripts/language.js*')
    await page.reload()
    await connect(visitor, apiKey)
    await page.locator('.cm-content').getByText(source).waitFor()

    await write(page, 'process.env\nSvc.Action')
    const status = page.getByRole('status')
    await status.getByText('Line 2: `Svc` has no member `Action`. Did you mean').waitFor()
    await page.locator('.cm-lintRange-error').getByText('process').waitFor()
    await settled(page)
    await judge(page, 'console-actions-problem', WITH_EDITOR)
    await page.locator('.cm-content').click()
    await page.keyboard.press('F8')
    await status.getByText('Line 1: `process` does not exist in actions.').waitFor()

    await write(page, '')
    await page.keyboard.type('Svc.Actions.sendTr')
    await completion(page, 'sendTransaction').waitFor()
    await page
      .locator('.cm-completionInfo')
      .getByText('sendTransaction(input: TransactionToSend): Promise<Transaction>')
      .waitFor()
    // For 75 ms after a list opens, CodeMirror does not let Enter accept from it.
    await page.waitForTimeout(100)
    await page.keyboard.press('Enter')
    await page.locator('.cm-content').getByText('Svc.Actions.sendTransaction').waitFor()
    await page.keyboard.press('F1')
    await page.locator('.cm-tooltip-hover').getByText('Queues a transaction').waitFor()

    await write(page, source)
    await ranTo(page, 'succeeded')
    expect(await result(page).getByLabel('Response', { exact: true }).innerText()).toBe('7')
  })

  it('XSS: an injected script cannot start another worker, or create another Trusted Types policy', async () => {
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open('/console')
    const create = `(name) => trustedTypes.createPolicy(name, { createScriptURL: (url) => url })`
    await expect(evaluate(page, `(${create})('another')`)).rejects.toThrow()
    // Its own script would have created this policy already if an editor were open.
    const started = `new Promise((done) => {
      const url = (${create})('language-worker').createScriptURL('/scripts/pay.js')
      try { new Worker(url).onerror = () => done('blocked') } catch { done('blocked') }
    })`
    expect(await evaluate(page, started)).toBe('blocked')
    expect(visitor.complaints.splice(0).join()).toMatch(/trusted-types[\s\S]*worker-src/)
  })

  it.each([
    ['its response', `return { [${QUOTED}]: ${QUOTED} }`, 'succeeded', 'Response'],
    ['the console', `console.log(${QUOTED})`, 'succeeded', 'Console'],
    ['its error', `throw new Error(${QUOTED})`, 'failed', 'Error'],
  ] as const)('XSS: shows what an action writes to %s as text', async (_what, code, end, part) => {
    const visitor = await atActions()
    const { page } = visitor
    await write(page, `async function main() { ${code} }`)
    await ranTo(page, end)
    const shown = await result(page).getByLabel(part, { exact: true }).innerText()
    expect(shown.replaceAll('\\"', '"')).toContain(HOSTILE_SHOWN)
    await nothingObeyed(visitor)
  })

  it('XSS: shows a name in a stack as text without links', async () => {
    const visitor = await atActions()
    const { page } = visitor
    const naming = `const f = { [${QUOTED}]() { throw new Error('no') } }[${QUOTED}]`
    await write(page, `${naming}\nasync function main() { f() }`)
    await ranTo(page, 'failed')
    expect(await result(page).locator('.stack').innerText()).toContain(
      '<img src=x onerror=alert(1)>',
    )
    await nothingObeyed(visitor)
  })

  it('XSS: shows params as text', async () => {
    const visitor = await atActions()
    const { page } = visitor
    await page.getByLabel('Params').fill(HOSTILE)
    await button(page, 'Run').click()
    await page.getByText('Invalid JSON at line 1, column 1').waitFor()
    await nothingObeyed(visitor)
  })

  it('XSS: shows the names of groups and actions as text', async () => {
    const { client, apiKey } = await openAccount(walks)
    const action_ipfs_cid = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
    await client.addGroup({ group_name: HOSTILE })
    await client.addAction({ action_ipfs_cid, name: HOSTILE, description: HOSTILE })
    const visitor = await atConsole(walks, apiKey, 'actions')
    const { page } = visitor
    await page.getByRole('heading', { name: HOSTILE_SHOWN }).waitFor()
    expect(await page.locator('.rows').innerText()).toContain(HOSTILE_SHOWN)
    expect(await page.getByLabel('Permit in a group').innerText()).toContain('<img src=x')
    await nothingObeyed(visitor)
    await judge(page, 'console-actions-hostile', WITH_EDITOR)
  })
}
