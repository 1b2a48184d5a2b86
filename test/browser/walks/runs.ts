import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { evaluate } from '../evaluate.ts'
import { heldBack } from '../held-back.ts'
import { judge } from '../judged-page.ts'
import { newProgram } from '../program.ts'
import { usageKeyForAll } from '../usage-key.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

const MAIL = 'runs@example.com'
const sh = promisify(execFile)

/** Verifies the sender and returns a greeting. */
const GREETS = `async function main({ event, event_raw, headers, secret }) {
  const bytes = (text) => new TextEncoder().encode(text)
  const how = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(secret), how, false, ['verify'])
  const given = ethers.utils.arrayify((headers['x-hub-signature-256'] ?? '').replace('sha256=', '0x'))
  if (!(await crypto.subtle.verify('HMAC', key, given, bytes(event_raw)))) throw new Error('wrong signature')
  console.log('verified')
  return { greeting: event.message + ', world' }
}`
const FAILS = `async function main({ event }) {
  console.log('looking for', event)
  for (let i = 0; i < 40; i++) console.warn('not under stone ' + i + ': ' + 'x'.repeat(i * 6))
  throw new Error('no such bird: ' + JSON.stringify(event))
}`
const WAITS = `async function main() {
  await new Promise((resolve) => setTimeout(resolve, 3000))
  return 'waited'
}`

type Holder = {
  visitor: Visitor
  page: Page
  create: (action: string, more?: object) => Promise<TriggerRecord>
  api: (path: string, body?: object, method?: string) => Promise<any>
}

let usageKey: Promise<string> | undefined
let authorizedToken: Promise<string> | undefined

async function authorizeProgram(visitor: Visitor): Promise<string> {
  const { token, path } = newProgram()
  await visitor.authorize(path)
  return token
}

export function runWalks(walks: Walks): void {
  async function holder(): Promise<Holder> {
    const visitor = await walks.signedIn(MAIL)
    const token = await (authorizedToken ??= authorizeProgram(visitor))
    const usage_api_key = await (usageKey ??= usageKeyForAll(walks.stack))
    const api = async (at: string, body?: object, method = body ? 'POST' : 'GET') => {
      const answer = await fetch(`${walks.triggersUrl}/api/${at}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(await answer.text())
      return answer.json() as Promise<any>
    }
    const create = (action_code: string, more: object = {}): Promise<TriggerRecord> =>
      api('triggers', {
        name: 'Greets who signs',
        kind: 'webhook',
        action_code,
        usage_api_key,
        ...more,
      })
    return { visitor, page: visitor.page, create, api }
  }

  const fire = async ({ webhook_url }: TriggerRecord, event: unknown): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(event)
    const answer = await fetch(webhook_url!, { method: 'POST', headers, body })
    return ((await answer.json()) as { run_id: string }).run_id
  }
  const ended = (from: Holder, run: string): Promise<RunRecord> => from.api(`runs/${run}?wait=30`)
  const listed = (page: Page) => page.locator('.runs > li')

  it('fires a webhook with the shown command, and shows the run as it arrives', async () => {
    const here = await holder()
    const { visitor, page } = here
    const { id } = await here.create(GREETS, { default_params: { secret: `it's "$HOME"` } })
    await visitor.open(`/triggers/${id}?created=1`)
    expect(await visitor.heading()).toBe('Greets who signs')
    await page.locator('#charts').scrollIntoViewIfNeeded()
    await page.getByRole('img', { name: /^Ended runs: 0/ }).waitFor()
    await judge(page, 'trigger-no-runs', { maxLoadedBytes: 130 * 1024 })

    await page.getByText('Show the command with the secret').click()
    const { stdout } = await sh('sh', ['-c', await page.locator('#curl-secret').innerText()])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'queued' })
    const row = listed(page).filter({ hasText: 'Succeeded' })
    await row.filter({ hasText: '{"greeting":"hello, world"}' }).waitFor()
    expect(await page.locator('#heard').innerText()).toBe('1 new run')
    await page.locator('#numbers').getByText('Succeeded').waitFor()

    await visitor.onward(() => row.getByRole('link').click())
    expect(await page.locator('#run').innerText()).toContain('verified')
    await page.getByText('Receipt claims').click()
    expect(await page.locator('#run').innerText()).toContain('params_sha256')
    await judge(page, 'run-succeeded')
  })

  it('pauses the list by keyboard, and holds new runs while the focus is in it', async () => {
    const here = await holder()
    const { visitor, page } = here
    const trigger = await here.create('async function main() { return 1 }')
    const first = await fire(trigger, {})
    await ended(here, first)
    // The first poll comes after the next run, so that runs that arrive before the first poll are held too.
    const look = await heldBack(page, '**/runs.json*')
    await visitor.open(`/triggers/${trigger.id}`)
    const pause = page.getByRole('button', { name: 'Pause updates' })
    await pause.waitFor()
    await page.getByRole('link', { name: /UTC$/ }).focus()
    await ended(here, await fire(trigger, {}))
    look()
    const held = page.getByRole('button', { name: 'Show 1 new run' })
    await held.waitFor()
    expect(await listed(page).count()).toBe(1)
    expect(
      await evaluate(page, 'document.activeElement === document.querySelector(".runs a")'),
    ).toBe(true)
    await held.focus()
    await page.keyboard.press('Enter')
    await listed(page).nth(1).waitFor()
    expect(
      await evaluate(
        page,
        'document.activeElement.closest("li") === document.querySelector(".runs li")',
      ),
    ).toBe(true)
    await ended(here, await fire(trigger, {}))
    await held.waitFor()
    expect(await listed(page).count()).toBe(2)

    await pause.focus()
    await listed(page).nth(2).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Resume updates' }).waitFor()
    await ended(here, await fire(trigger, {}))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.keyboard.press('Enter')
    await listed(page).nth(3).waitFor()
    expect(asked.filter((url) => url.includes('runs.json')).length).toBeGreaterThan(0)
  })

  it('shows console output while a run is in progress', async () => {
    const here = await holder()
    const { visitor, page } = here
    const trigger = await here.create(`async function main({ event }) {
      console.warn('<b>early</b> ' + event.n)
      if (event.n === 2) await new Promise((done) => setTimeout(done, 120000))
    }`)
    await visitor.open(`/triggers/${trigger.id}`)
    await page.getByText('Live output').click()
    await page.waitForResponse((response) => response.url().includes('tail.json'))
    const output = page.getByRole('log')
    await fire(trigger, { n: 1 })
    await output.getByText('<b>early</b> 1').waitFor()
    const run = await fire(trigger, { n: 2 })
    await output.getByText('<b>early</b> 2').waitFor()
    expect((await here.api(`runs/${run}`)).status).toBe('running')
    await judge(page, 'live-output', { maxLoadedBytes: 130 * 1024 })
    await visitor.onward(() => output.getByRole('link').last().click())
    expect(page.url()).toContain(run)
  })

  it('shows why a run failed, replays it, and lists both', async () => {
    const here = await holder()
    const { visitor, page } = here
    const trigger = await here.create(FAILS, {
      name: `Looks for ${'a very long name '.repeat(10)}`,
    })
    const run = await fire(trigger, { bird: 'wren', ['long'.repeat(40)]: 'y'.repeat(400) })
    await ended(here, run)
    await visitor.open(`/runs/${run}`)
    const shown = await page.locator('#run').innerText()
    expect(shown).toMatch(/Error: no such bird: .*\n\s+at main/)
    expect(shown).toContain('not under stone 39')
    await judge(page, 'run-failed', { maxBytes: 60 * 1024 })

    await visitor.press('Replay with current code')
    expect(await visitor.heading()).toBe('Replayed run')
    expect(page.url()).not.toContain(run)
    await page.locator('.state').filter({ hasText: 'Failed' }).waitFor()
    await visitor.onward(() => page.getByRole('link', { name: /^Looks for/ }).click())
    expect(await listed(page).count()).toBe(2)
    await page.locator('#charts').scrollIntoViewIfNeeded()
    await page.getByRole('img', { name: /^Ended runs: 0 succeeded, 2 failed/ }).waitFor()
    await judge(page, 'trigger-failed-runs', { maxLoadedBytes: 140 * 1024 })
    await visitor.onward(() => page.getByRole('link', { name: 'Succeeded', exact: true }).click())
    expect(await page.locator('#no-runs').innerText()).toBe('No runs with this status.')

    // Runs appear up to 15 seconds after they were queued.
    await vi.waitFor(
      async () => {
        await visitor.open(`/runs?trigger=${trigger.id}`)
        expect(await page.locator('.list tbody tr').count()).toBe(2)
      },
      { timeout: 30_000, interval: 500 },
    )
    await judge(page, 'all-runs')
    await page.getByText('Search', { exact: true }).click()
    await page.getByLabel('Error').fill('NO SUCH BIRD')
    await visitor.press('Show')
    const rows = page.locator('.list tbody tr')
    expect(await rows.count()).toBe(2)
    await judge(page, 'all-runs-search')
    await page.getByLabel('Status').selectOption({ label: 'Succeeded' })
    await visitor.press('Show')
    expect(await page.getByRole('alert').innerText()).toContain('only failed runs have an error')
    await visitor.open(`/runs?status=failed&trigger=${trigger.id}`)
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await visitor.press('Replay selected runs…')
    expect(await visitor.heading()).toBe('Replay runs')
    expect(await page.locator('.facts').innerText()).toMatch(/Runs\s+1\s+Already replayed\s+1/)
    await visitor.onward(() => page.getByRole('link', { name: 'Back to the runs' }).click())
    await visitor.open('/triggers')
    const row = page.locator('.list tbody tr').filter({ hasText: 'Looks for' })
    expect(await row.innerText()).toContain('Failing')
    await judge(page, 'triggers-failing')
  })

  it('runs a test, shows its progress, cancels a queued run and clears the queue', async () => {
    const here = await holder()
    const { visitor, page } = here
    const trigger = await here.create(WAITS, { max_runs_per_minute: 1 })
    await visitor.open(`/triggers/${trigger.id}`)
    await page.getByLabel('JSON').fill('{"a":')
    await visitor.press('Run test')
    expect(await page.getByRole('alert').innerText()).toBe('Invalid JSON.')
    await page.getByLabel('JSON').fill('{"a": 1}')
    await visitor.press('Run test')
    expect(await visitor.heading()).toBe('Test run')
    await page.locator('#heard').filter({ hasText: 'Run ended: Succeeded' }).waitFor()
    expect(await page.locator('#response + pre').innerText()).toBe('"waited"')

    const queued = await fire(trigger, {})
    await fire(trigger, {})
    await fire(trigger, {})
    const look = await heldBack(page, '**/state.json*')
    await visitor.open(`/runs/${queued}`)
    const input = page.locator('#run details').filter({ hasText: 'Params passed to the action' })
    await input.locator('summary').click()
    look()
    for (let i = 0; i < 2; i++)
      await page.waitForResponse((answer) => answer.url().includes('/state.json'))
    await judge(page, 'run-queued')
    expect(await input.locator('pre').isVisible()).toBe(true)
    expect(await evaluate(page, 'document.activeElement.tagName')).toBe('SUMMARY')
    await visitor.press('Cancel run')
    expect(await page.locator('.state').innerText()).toContain('Failed')
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0)
    await visitor.open(`/triggers/${trigger.id}`)
    await visitor.press('Cancel queued runs (2)')
    expect(await page.locator('.done').innerText()).toBe('2 queued runs cancelled.')
  })

  it('shows a schedule tick, and pages through many runs', async () => {
    const here = await holder()
    const { visitor, page } = here
    const trigger = await here.create('async function main(params) { return params }', {
      name: 'Each minute',
      kind: 'schedule',
      // The next tick is always a few seconds away.
      config: { cron: `${new Date(Date.now() + 8_000).getUTCSeconds()} * * * * *` },
      max_runs_per_minute: 600,
    })
    const tests = Array.from({ length: 30 }, (_, i) => ({ params: { i } }))
    await Promise.all(tests.map((test) => here.api(`triggers/${trigger.id}/test`, test)))
    await visitor.open(`/triggers/${trigger.id}`)
    await listed(page).filter({ hasText: 'Tick of' }).first().waitFor({ timeout: 70_000 })
    await visitor.onward(() => page.getByRole('link', { name: 'Hour', exact: true }).click())
    await page.getByRole('img', { name: /^Ended runs: [1-9]\d* succeeded/ }).waitFor()
    await page.getByText('Show as a table').click()
    await judge(page, 'trigger-many-runs', { maxBytes: 50 * 1024, maxLoadedBytes: 160 * 1024 })
    await visitor.onward(() => page.getByRole('link', { name: 'Older runs' }).click())
    await page.getByRole('link', { name: 'Back to the latest runs' }).waitFor()
    expect(await listed(page).count()).toBeGreaterThan(4)
  })

  it('shows why a run is waiting, and how to resolve it', async () => {
    const here = await holder()
    const { visitor, page } = here
    const usage_api_key = await usageKeyForAll(walks.stack, {
      spend_cap_cents: 1,
      spend_window_seconds: 86_400,
    })
    const trigger = await here.create('async function main() { return 1 }', { usage_api_key })
    await ended(here, await fire(trigger, {}))
    const run = await fire(trigger, {})
    // Wait until the reason is known: if it arrives later, it shifts the layout.
    await expect
      .poll(async () => (await here.api(`triggers/${trigger.id}`)).waiting_for, { timeout: 30_000 })
      .toBeTruthy()
    await visitor.open(`/runs/${run}`)
    await page.locator('#run .warn').filter({ hasText: 'Raise the cap in the console' }).waitFor()
    await judge(page, 'run-waiting')
    await visitor.open(`/triggers/${trigger.id}`)
    expect(await page.locator('#state').innerText()).toContain('Waiting: spending cap reached')
    expect(await listed(page).first().innerText()).toContain('Waiting: spending cap reached')
    await page.locator('#charts').scrollIntoViewIfNeeded()
    await page.getByRole('img', { name: /^Ended runs: 1/ }).waitFor()
    await judge(page, 'trigger-waiting', { maxLoadedBytes: 140 * 1024 })
  })

  it('shows the pages of a trigger and of a run without scripts', async () => {
    const here = await holder()
    const trigger = await here.create('async function main() { return 1 }')
    const run = await fire(trigger, {})
    await ended(here, run)
    const reader = await walks.visitor({ javaScriptEnabled: false })
    await reader.context.addCookies(await here.visitor.context.cookies())
    await reader.open(`/triggers/${trigger.id}`)
    expect(await listed(reader.page).count()).toBe(1)
    expect(await reader.page.locator('.chart').first().isVisible()).toBe(false)
    await reader.page.getByRole('link', { name: 'Reload to see new runs' }).waitFor()
    await reader.onward(() => listed(reader.page).getByRole('link').click())
    expect(await reader.page.locator('#run').innerText()).toContain('Succeeded')
  })
}
