import { afterEach, describe, expect, it, vi } from 'vitest'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { settingsOf } from '../../../edge/env.ts'
import { escapeInvisible } from '../../../edge/browser/components/user-text.tsx'
import { edge, env, fire, runOnce, script, seen, success } from '../app.ts'
import { isInert, MARKUPS } from './markup.ts'
import { Person, textOf } from './person.ts'
import { fieldError, formsOf } from './typed-forms.ts'

/** The node of this chain is unreachable here, and its watcher backs off. No other test uses the chain. */
const NODE = settingsOf(env).CHAINS.ethereum!.rpc[0]!
const send = globalThis.fetch
afterEach(() => void vi.restoreAllMocks())

const person = await Person.signedIn()
const { submitNew, read, created } = formsOf(person)
const source = script(success())
const filled = (over: Record<string, string> = {}) => ({
  name: 'by hand',
  action_code: source,
  usage_api_key: 'usage-key',
  default_params: '{"a": 1}',
  ...over,
})

describe('the list of triggers', () => {
  it('redirects a signed-out user to sign in, and back afterwards', async () => {
    const response = await edge('/triggers?kind=schedule', { redirect: 'manual' })
    const location = '/sign-in?next=%2Ftriggers%3Fkind%3Dschedule'
    expect([response.status, response.headers.get('location')]).toEqual([303, location])
  })

  it('links to the first steps if there are no triggers', async () => {
    const { text } = await (await Person.signedIn()).get('/triggers')
    expect(text).toContain('No triggers yet')
    expect(text).toContain('href="/console#start"')
  })

  it('shows for each trigger what fires it, its state, and its next run', async () => {
    const who = await Person.signedIn()
    const { webhook_url } = await who.trigger({ name: 'a hook' })
    await who.trigger({ name: 'a clock', kind: 'schedule', config: { cron: '0 9 * * 1-5' } })
    await who.trigger({ name: 'at rest', enabled: false })
    const page = textOf((await who.get('/triggers')).text)
    expect(page).toContain(`on POST to ${webhook_url}`)
    expect(page).toContain('Monday to Friday at 09:00 UTC: 0 9 * * 1-5')
    expect(page).toMatch(/0 9 \* \* 1-5Enabled\d+ \w+ \d{4}, 09:00 UTC/)
    expect(page).toMatch(/at rest[^]*?Paused[^]*?a clock/)
    expect(page).toContain('3 triggers')
    expect(page.indexOf('at rest')).toBeLessThan(page.indexOf('a hook'))
  })

  it('shows the last run and the figures of each trigger, and which one is failing', async () => {
    const who = await Person.signedIn()
    const { id: failing } = await who.trigger({ name: 'a failing one' })
    const { id: tested } = await who.trigger({ name: 'a tested one' })
    await who.trigger({ name: 'a new one' })
    const now = Date.now()
    const lastRun = { suffix: 'A'.repeat(16), queuedAt: now - 300_000, finishedAt: now - 299_000 }
    const report = (triggerId: string, activity: object) =>
      env.USER_REPORTS.getByName(who.owner.id).report({
        triggerId,
        epoch: 1,
        name: 'a trigger',
        reports: [],
        activity: {
          activity: {
            at: now,
            lastRun: { ...lastRun, status: 'failed', isTest: false },
            isFailing: true,
            hours: [],
            p50Ms: null,
            p95Ms: null,
            ...activity,
          },
          runs: {
            first: 1,
            queuedAt: [lastRun.queuedAt],
            previousAt: null,
            last: 1,
            prunedThrough: 0,
          },
        },
      })
    const hours = [{ hour: Math.floor(now / 3_600_000), ok: 1_999, failed: 1 }]
    await report(failing, { hours, p95Ms: 1_234 })
    const test = { ...lastRun, status: 'success', isTest: true }
    await report(tested, { lastRun: test, isFailing: false })
    const { text } = await who.get('/triggers')
    const page = textOf(text)
    expect(page).toMatch(/a failing one[^]*?Failing–Failed 5 min ago99.9% of 2,000, p95 1.2 s/)
    expect(page).toMatch(/a tested one[^]*?Enabled–Succeeded 5 min ago TestNo runs/)
    expect(page).toMatch(/a new one[^]*?Enabled–––/)
    expect(text).toContain('aria-label="Last 24 hours: 1999 succeeded, 1 failed"')
    expect(text).toContain(`href="/runs/${failing}${lastRun.suffix}"`)
    await who.owner.api(`/api/triggers/${failing}`, {
      method: 'PATCH',
      body: JSON.stringify({ enabled: false }),
      headers: { 'content-type': 'application/json' },
    })
    expect(textOf((await who.get('/triggers')).text)).toMatch(/a failing one[^]*?Paused–Failed/)
  })

  it('shows why the service disabled a trigger', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger()
    const record = { ...(await read(id, who)), enabled: false, disabled_reason: 'the key is gone' }
    await env.DB.prepare('UPDATE triggers SET record = ? WHERE id = ?')
      .bind(JSON.stringify(record), id)
      .run()
    const page = textOf((await who.get('/triggers')).text)
    expect(page).toContain('Paused by the service')
    expect(page).toContain('Reason: the key is gone')
  })

  it('shows 25 triggers per page and links to the next page within the filter', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger()
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
       INSERT INTO triggers (id, owner_id, kind, record, created_at, updated_at)
       SELECT 'row' || i || owner_id, owner_id, kind, json_set(record, '$.name', 'row ' || i || '.'), 1000 - i, 1 FROM triggers, n WHERE id = ?`,
    )
      .bind(id)
      .run()
    const first = await who.get('/triggers?kind=webhook')
    expect(first.text.match(/<tr><th scope="row">/g)).toHaveLength(25)
    const next = /href="([^"]+)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    expect(next).toContain('kind=webhook')
    const second = await who.get(next)
    expect(second.text.match(/<tr><th scope="row">/g)).toHaveLength(5)
    expect(second.text).toContain('row 29.')
    expect(second.text).not.toContain('rel="next"')
    expect((await who.get('/triggers?kind=schedule')).text).toContain(
      'No triggers match these filters',
    )
  })

  it('shows the first page for an invalid cursor or filter', async () => {
    for (const query of ['cursor=AAAA', 'kind=x', 'enabled=maybe', 'limit=9999', 'cursor='])
      expect((await person.get(`/triggers?${query}`)).status).toBe(200)
  })

  it('XSS: escapes names, addresses, signatures and reasons', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger()
    for (const markup of MARKUPS) {
      const record = {
        ...(await read(id, who)),
        kind: 'chain_event',
        name: markup,
        enabled: false,
        disabled_reason: markup,
        canonical_signature: markup,
        config: { chain: markup, contract_address: markup, event_signature: markup },
      }
      await env.DB.prepare('UPDATE triggers SET record = ? WHERE id = ?')
        .bind(JSON.stringify(record), id)
        .run()
      const page = await who.get('/triggers')
      isInert(page)
      expect(textOf(page.text).split(markup).length).toBeGreaterThan(4)
    }
  })

  it('bidi spoofing: shows direction overrides in names as escapes', async () => {
    const who = await Person.signedIn()
    await who.trigger({ name: 'pay\u202Egnp.exe' })
    const { text } = await who.get('/triggers')
    expect(text).toContain('<bdi>pay‹U+202E›gnp.exe</bdi>')
    expect(escapeInvisible('a\u0000b\nc')).toBe('a‹U+0000›b‹U+000A›c')
  })

  it('XSS: escapes every field of a form that is shown again', async () => {
    const names = ['name', 'action_code', 'default_params', 'cron', 'concurrency', 'misfire']
    names.push('timezone', 'at', 'starts_at', 'ends_at', 'jitter_s')
    for (const markup of MARKUPS) {
      const fields = Object.fromEntries(names.map((name) => [name, markup]))
      isInert(await submitNew('schedule', filled(fields)))
      const event = {
        contract_address: markup,
        event_signature: markup,
        topic1: markup,
        where: markup,
      }
      const page = await submitNew(
        'chain_event',
        filled({ ...event, chain: markup, start_block: markup, finality: markup }),
      )
      isInert(page)
      expect(page.status).toBe(422)
    }
  })
})

const NO_EVENT = { contract_address: '', event_signature: '' }

describe('the form of a new trigger', () => {
  it('offers the kinds of triggers, and accepts no others', async () => {
    for (const path of ['/triggers/new', '/triggers/new?kind=pigeon']) {
      const { text } = await person.get(path)
      for (const kind of ['webhook', 'schedule', 'chain_event'])
        expect(text).toContain(`href="/triggers/new?kind=${kind}"`)
    }
  })

  it('creates a webhook with its options and redirects to its page', async () => {
    const options = {
      dedup: 'header',
      dedup_header: 'x-delivery',
      handshake: 'slack',
      pass_headers: 'X-Custom, x-other x-custom',
    }
    const record = await created(
      await submitNew('webhook', filled({ ...options, concurrency: '3' })),
    )
    expect(record).toMatchObject({
      name: 'by hand',
      kind: 'webhook',
      default_params: { a: 1 },
      options: {
        concurrency: 3,
        handshake: 'slack',
        dedup: { header: 'x-delivery' },
        pass_headers: ['x-custom', 'x-other'],
      },
      enabled: true,
    })
  })

  it('creates a webhook with a source, whose secret the page never shows', async () => {
    const fields = { source: 'github', webhook_secret: 'canary-secret', respond: 'run' }
    const record = await created(await submitNew('webhook', filled(fields)))
    expect(record.options).toEqual({ source: 'github', respond: 'run' })
    const page = (await person.get(`/triggers/${record.id}/edit`)).text
    expect(page).toContain('<option value="github" selected')
    expect(page).not.toContain('canary')
  })

  it('creates a webhook with a signature of another sender', async () => {
    const fields = { source: 'hmac_sha256', source_header: 'X-Mine', source_prefix: 'sig=' }
    const record = await created(
      await submitNew('webhook', filled({ ...fields, webhook_secret: 'canary-secret' })),
    )
    expect(record.options).toEqual({
      source: { type: 'hmac_sha256', header: 'x-mine', prefix: 'sig=' },
    })
  })

  it('shows the sender of a webhook, and why the last request was rejected', async () => {
    const fields = { source: 'github', webhook_secret: 'canary-secret' }
    const { id } = await created(await submitNew('webhook', filled(fields)))
    const shown = async () => textOf((await person.get(`/triggers/${id}`)).text)
    expect(await shown()).toMatch(/Sender ?GitHub ?Rejected ?0 since/)
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    await edge(`/webhook/${id}`, { method: 'POST', body: '{}', headers })
    expect(await shown()).toMatch(/Rejected ?1 since .*Last rejection.*the secret is wrong/)
    const custom = { source: 'token', source_header: 'x-mine', webhook_secret: 'canary-secret' }
    const other = await created(await submitNew('webhook', filled(custom)))
    expect(textOf((await person.get(`/triggers/${other.id}`)).text)).toContain('a secret in x-mine')
    const unsigned = await created(await submitNew('webhook', filled()))
    expect(textOf((await person.get(`/triggers/${unsigned.id}`)).text)).not.toContain('Sender')
  })

  it('creates a schedule', async () => {
    const record = await created(
      await submitNew(
        'schedule',
        filled({ cron: '*/5 * * * *', misfire: 'skip', on_lost: 'retry' }),
      ),
    )
    expect(record).toMatchObject({
      config: { cron: '*/5 * * * *' },
      options: { misfire: 'skip', on_lost: 'retry' },
      max_runs_per_minute: 60,
    })
  })

  it('creates a schedule with a time zone and bounds, which its form and pages show', async () => {
    const who = await Person.signedIn()
    const config = {
      cron: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      starts_at: '2026-01-01T00:00:00Z',
      ends_at: '2099-01-01T00:00:00+01:00',
      jitter_s: 90,
    }
    const fields = { ...config, jitter_s: '90', timezone: 'europe/berlin ' }
    const record = await created(await submitNew('schedule', filled(fields), who), who)
    expect(record.config).toEqual(config)
    const form = (await who.get(`/triggers/${record.id}/edit`)).text
    for (const value of Object.values(config)) expect(form).toContain(`value="${value}"`)
    const page = textOf((await who.get(`/triggers/${record.id}`)).text)
    expect(page).toContain('Monday to Friday at 09:00 Europe/Berlin')
    expect(page).toMatch(/09:0[01]:\d\d local time/)
    const list = textOf((await who.get('/triggers')).text)
    expect(list).toContain('Monday to Friday at 09:00 Europe/Berlin: 0 9 * * 1-5')
  })

  it('creates a single run', async () => {
    const who = await Person.signedIn()
    const at = '2099-01-01T00:00:00+01:00'
    const record = await created(await submitNew('schedule', filled({ at }), who), who)
    expect(record.config).toEqual({ at })
    expect(textOf((await who.get(`/triggers/${record.id}`)).text)).toContain(`Runs once${at}`)
    expect(textOf((await who.get('/triggers')).text)).toContain(`once, at ${at}`)
  })

  it('keeps the line endings of a source, and so its CID, although browsers send others', async () => {
    const code = `${source}\n// one\n\n// two\n`
    const record = await created(
      await submitNew('webhook', filled({ action_code: code.replaceAll('\n', '\r\n') })),
    )
    expect(record.action_cid).toBe(await actionCid(code))
  })

  it('creates a trigger with the key of another trigger, which the page never shows', async () => {
    const who = await Person.signedIn()
    expect((await who.get('/triggers/new?kind=webhook')).text).not.toContain('usage_key_of')
    const first = await who.trigger({ name: 'has\u202Ea key', usage_api_key: 'usage-canary-key' })
    const form = await who.get('/triggers/new?kind=webhook')
    expect(form.text).toContain(`<option value="${first.id}">has‹U+202E›a key (Webhook)</option>`)
    expect(/<input type="password"[^>]*name="usage_api_key"[^>]*>/.exec(form.text)![0]).not.toMatch(
      /required/,
    )
    const choice = { usage_api_key: '', usage_key_of: first.id }
    const record = await created(await submitNew('webhook', filled(choice), who), who)
    const run = await runOnce(who.owner, await fire(record.id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-canary-key' }])
    for (const path of [`/triggers/${record.id}`, '/triggers/new?kind=webhook'])
      expect((await who.get(path)).text).not.toContain('canary')
  })

  it('keeps the chosen trigger through an error, and does not ask for a key again', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger()
    const form = filled({ name: '', usage_api_key: '', usage_key_of: id })
    const page = await submitNew('webhook', form, who)
    expect(page.status).toBe(422)
    expect(page.text).toContain(`<option value="${id}" selected="">`)
    expect(textOf(page.text)).not.toContain('Paste it again')
  })

  it('refuses a key beside the key of another trigger, and a trigger whose key was removed', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger({ usage_api_key: 'unknown-1' })
    const both = await submitNew('webhook', filled({ usage_key_of: id }), who)
    expect(fieldError(both, 'usage_key_of')).toMatch(/^Clear the usage key/)
    const choice = { usage_api_key: '', usage_key_of: id }
    const removed = await submitNew('webhook', filled(choice), who)
    expect(removed.status).toBe(422)
    expect(fieldError(removed, 'usage_key_of')).toBe(
      'The usage key of this trigger was removed. Choose another trigger, or enter a usage key.',
    )
  })

  it('shows errors next to their fields, and keeps the input except for the key', async () => {
    const page = await submitNew(
      'schedule',
      filled({
        name: '',
        cron: '*/5 * * * * *',
        default_params: '[1]',
        max_runs_per_minute: 'many',
        usage_api_key: 'a-secret-usage-key',
      }),
    )
    expect(page.status).toBe(422)
    expect(fieldError(page, 'name')).toBe('Enter a name.')
    expect(fieldError(page, 'default_params')).toMatch(/^Enter a JSON object/)
    expect(fieldError(page, 'max_runs_per_minute')).toBe('Enter a whole number.')
    expect(page.text).toContain('value="*/5 * * * * *"')
    expect(page.text).toMatch(/<details class="card" open/)
    expect(page.text).not.toContain('a-secret-usage-key')
    expect(textOf(page.text)).toContain('Paste it again')
  })

  it.each([
    [
      'schedule',
      { cron: '*/5 * * * * *' },
      'cron',
      /^Its ticks .* are 5 s apart.* Enter five fields/,
    ],
    ['schedule', { cron: '' }, 'cron', /^Enter a cron/],
    ['webhook', { concurrency: '1000' }, 'concurrency', /^At most 64\.$/],
    ['webhook', { dedup: 'header' }, 'dedup_header', /^Enter the name of the header/],
    [
      'webhook',
      { dedup: 'header', dedup_header: 'cookie' },
      'dedup_header',
      /cannot identify a delivery/,
    ],
    ['webhook', { pass_headers: 'x-a cookie' }, 'pass_headers', /^Cookie carries a credential/],
    ['webhook', { pass_headers: 'x:a' }, 'pass_headers', /^Expected a header name/],
    ['webhook', { source: 'github' }, 'webhook_secret', /requires a secret/],
    ['webhook', { webhook_secret: 'canary-secret' }, 'webhook_secret', /requires options.source/],
    ['webhook', { source: 'github', webhook_secret: 'short' }, 'webhook_secret', /./],
    ['webhook', { source: 'token', webhook_secret: 'long-enough' }, 'source_header', /^Enter the/],
    ['webhook', { name: 'n'.repeat(201) }, 'name', /^At most 200 characters\.$/],
    ['webhook', { usage_api_key: '' }, 'usage_api_key', /^Paste the usage key/],
    ['webhook', { usage_api_key: 'account-key' }, 'usage_api_key', /^This is an account key/],
    ['webhook', { default_params: '{' }, 'default_params', /^Invalid JSON/],
    ['webhook', { action_code: 'let a\nlet 1' }, 'action_code', /^Line 2, column 5: expecting/],
    ['webhook', { action_code: ' ' }, 'action_code', /^Enter the source/],
    ['webhook', { handshake: 'nobody' }, 'handshake', /./],
    ['chain_event', { contract_address: '0x1' }, 'contract_address', /./],
    ['chain_event', { event_signature: 'Paid(uint' }, 'event_signature', /^At position \d+/],
    ['chain_event', { topic2: '0x12' }, 'topic2', /32-byte topic/],
    ['chain_event', { start_block: 'soon' }, 'start_block', /./],
    ['chain_event', { where: 'arg2 ~ 5' }, 'where', /^"arg2 ~ 5" is not a condition/],
    ['chain_event', { where: 'arg2 > 1\narg0 = 0x12' }, 'where', /^Expected 0x followed by 40/],
    ['chain_event', { factory_address: 'x' }, 'factory_address', /^Cannot be combined with contr/],
    [
      'chain_event',
      { contract_address: '', factory_address: 'x' },
      'factory_address',
      /^Expected 0x/,
    ],
    [
      'chain_event',
      { contract_address: '', factory_address: `0x${'1'.repeat(40)}`, factory_event: 'A(' },
      'factory_event',
      /^At position/,
    ],
    ['chain_event', { blocks_every: '100' }, 'contract_address', /^Cannot be combined with blocks/],
    ['chain_event', { ...NO_EVENT, blocks_every: '1' }, 'blocks_every', /Send 40 to/],
    ['chain_event', { ...NO_EVENT, blocks_every: 'x' }, 'blocks_every', /^Enter a whole number/],
    ['chain_event', { transactions_to: 'x' }, 'contract_address', /^Cannot be combined with tran/],
    ['chain_event', { ...NO_EVENT, transactions_to: 'x' }, 'transactions_to', /^Expected 0x/],
    ['chain_event', { ...NO_EVENT, transactions_status: 'any' }, 'transactions_to', /required/],
    [
      'chain_event',
      { ...NO_EVENT, transactions_from: `0x${'1'.repeat(40)}`, transactions_min_value: '1.5' },
      'transactions_min_value',
      /^Expected a string of decimal/,
    ],
    ['chain_event', { chain: 'polygon' }, 'chain', /does not watch polygon/],
    ['chain_event', { finality: 'blocks' }, 'finality_blocks', /^Enter the number of blocks/],
  ])('%s: reports %j at %s', async (kind, over, field, expected) => {
    const event = {
      chain: 'arbitrum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'Paid(address,address,uint256)',
    }
    const page = await submitNew(kind, filled({ ...event, cron: '0 0 * * *', ...over }))
    expect(page.status).toBe(422)
    expect(fieldError(page, field)).toMatch(expected)
  })

  it('redirects with a warning about an unknown key, or a key that may not execute the action', async () => {
    for (const [key, name] of [
      ['unknown-key', 'unknown'],
      ['forbidden-key', 'not_permitted'],
    ] as const) {
      const page = await submitNew('webhook', filled({ usage_api_key: key }))
      expect(page.response.headers.get('location')).toMatch(new RegExp(`created=1&key=${name}$`))
    }
  })

  it('rejects an overlong form before reading it completely', async () => {
    const page = await submitNew('webhook', filled({ action_code: 'x'.repeat(2 * 1024 * 1024) }))
    expect(page.status).toBe(413)
    expect(textOf(page.text)).toContain('Nothing was changed')
  })

  it('keeps the input if a chain does not respond', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const { url } = new Request(input, init)
      return url.startsWith(NODE)
        ? Promise.reject(new TypeError('fetch failed'))
        : send(input, init)
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const event = {
      chain: 'ethereum',
      contract_address: `0x${'53'.repeat(20)}`,
      event_signature: 'A()',
    }
    const page = await submitNew('chain_event', filled({ ...event, name: 'kept' }))
    expect(page.status).toBe(503)
    expect(page.response.headers.get('retry-after')).toBe('15')
    expect(textOf(page.text)).toContain('No node of ethereum responds')
    expect(page.text).toContain('value="kept"')
  })
})
