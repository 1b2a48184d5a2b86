import { html } from 'hono/html'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { actionCid } from '../../../../shared/cid.ts'
import { cronInWords } from '../../../../edge/schedule/cron-in-words.ts'
import { parseEventSignature } from '../../../../edge/chain/signature/parse-event-signature.ts'
import { settingsOf } from '../../../../edge/env.ts'
import { TriggerNotice } from '../../../../edge/http/console/trigger-notice.tsx'
import { visible } from '../../../../edge/console/user-text.tsx'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../../doubles/chain-node/fetch-of.ts'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import { edge, env, script, success, sql, unknownTriggerId } from '../../app.ts'
import { FROM_US, hidden, type Page, Person, textOf } from './person.ts'

const MARKUPS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "' onfocus=alert(1) autofocus='",
  'javascript:alert(1)',
]
/** No element, attribute or link of a page is what a stranger wrote. */
function isInert({ text }: Page): void {
  expect(text).not.toMatch(
    /<img|<script>alert|onerror=alert\(1\)>|'? onfocus=alert\(1\) autofocus='/,
  )
  expect(text).not.toMatch(/(href|src|action|formaction)="\s*javascript:/i)
}

/** Its node is away here, and its watcher waits before it asks again: no other test needs it. */
const NODE = settingsOf(env).CHAINS.ethereum!.rpc[0]!
const send = globalThis.fetch
afterEach(() => void vi.restoreAllMocks())

const person = await Person.signedIn()
const source = script(success())
const filled = (over: Record<string, string> = {}) => ({
  name: 'by hand',
  action_code: source,
  usage_api_key: 'usage-key',
  default_params: '{"a": 1}',
  ...over,
})
async function submitNew(kind: string, form: Record<string, string>, who = person): Promise<Page> {
  const path = `/triggers/new?kind=${kind}`
  const csrf = hidden(await who.get(path), 'csrf')
  return who.post(path, { csrf, ...form })
}
const read = async (id: string, who = person): Promise<TriggerRecord> =>
  (await who.owner.api(`/api/triggers/${id}`)).json()
async function created(page: Page, who = person): Promise<TriggerRecord> {
  expect([page.status, textOf(page.text)]).toEqual([303, ''])
  return read(
    /^\/triggers\/([^?]+)\?created=1/.exec(page.response.headers.get('location')!)![1]!,
    who,
  )
}
const fieldError = ({ text }: Page, name: string) =>
  textOf(new RegExp(`id="${name}-error"[^>]*>([^<]*)`).exec(text)?.[1] ?? '')

describe('the list of triggers', () => {
  it('asks who is not signed in to sign in, and leads back to what was asked for', async () => {
    const response = await edge('/triggers?kind=schedule', { redirect: 'manual' })
    const location = '/sign-in?next=%2Ftriggers%3Fkind%3Dschedule'
    expect([response.status, response.headers.get('location')]).toEqual([303, location])
  })

  it('without any leads to the first steps', async () => {
    const { text } = await (await Person.signedIn()).get('/triggers')
    expect(text).toContain('You have no triggers yet')
    expect(text).toContain('href="/console#start"')
  })

  it('says of each what fires it, whether it is enabled, and when it runs next', async () => {
    const who = await Person.signedIn()
    const { webhook_url } = await who.trigger({ name: 'a hook' })
    await who.trigger({ name: 'a clock', kind: 'schedule', config: { cron: '0 9 * * 1-5' } })
    await who.trigger({ name: 'at rest', enabled: false })
    const page = textOf((await who.get('/triggers')).text)
    expect(page).toContain(`by POST to ${webhook_url}`)
    expect(page).toContain('Monday to Friday at 09:00 UTC: 0 9 * * 1-5')
    expect(page).toMatch(/Next run\d+ \w+ \d{4}, 09:00 UTC/)
    expect(page).toMatch(/at rest paused/)
    expect(page).toContain('3 triggers')
    expect(page.indexOf('at rest')).toBeLessThan(page.indexOf('a hook'))
  })

  it('says why the service has stopped one', async () => {
    const who = await Person.signedIn()
    const { id } = await who.trigger()
    const record = { ...(await read(id, who)), enabled: false, disabled_reason: 'the key is gone' }
    await env.DB.prepare('UPDATE triggers SET record = ? WHERE id = ?')
      .bind(JSON.stringify(record), id)
      .run()
    const page = textOf((await who.get('/triggers')).text)
    expect(page).toContain('stopped')
    expect(page).toContain('Paused becausethe key is gone')
  })

  it('shows 25 on a page, and the next ones after them, within the filter', async () => {
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
    expect(first.text.match(/<li><div><h2>/g)).toHaveLength(25)
    const next = /href="([^"]+)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    expect(next).toContain('kind=webhook')
    const second = await who.get(next)
    expect(second.text.match(/<li><div><h2>/g)).toHaveLength(5)
    expect(second.text).toContain('row 29.')
    expect(second.text).not.toContain('rel="next"')
    expect((await who.get('/triggers?kind=schedule')).text).toContain('None of your triggers')
  })

  it('a link with a cursor or filter that is not ours shows the first page', async () => {
    for (const query of ['cursor=AAAA', 'kind=x', 'enabled=maybe', 'limit=9999', 'cursor='])
      expect((await person.get(`/triggers?${query}`)).status).toBe(200)
  })

  it('XSS: what stands in a name, an address, a signature or a reason is text', async () => {
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

  it('a name that turns the direction of writing is shown as it is made', async () => {
    const who = await Person.signedIn()
    await who.trigger({ name: 'pay\u202Egnp.exe' })
    const { text } = await who.get('/triggers')
    expect(text).toContain('<bdi>pay‹U+202E›gnp.exe</bdi>')
    expect(visible('a\u0000b\nc')).toBe('a‹U+0000›b‹U+000A›c')
  })

  it('XSS: a form that comes back has what was typed as text, in each of its fields', async () => {
    const names = ['name', 'action_code', 'default_params', 'cron', 'concurrency', 'misfire']
    for (const markup of MARKUPS) {
      const fields = Object.fromEntries(names.map((name) => [name, markup]))
      isInert(await submitNew('schedule', filled(fields)))
      const event = { contract_address: markup, event_signature: markup, topic1: markup }
      const page = await submitNew(
        'chain_event',
        filled({ ...event, chain: markup, start_block: markup, finality: markup }),
      )
      isInert(page)
      expect(page.status).toBe(422)
    }
  })
})

describe('the form of a new trigger', () => {
  it('begins with the kinds, and takes no other', async () => {
    for (const path of ['/triggers/new', '/triggers/new?kind=pigeon']) {
      const { text } = await person.get(path)
      for (const kind of ['webhook', 'schedule', 'chain_event'])
        expect(text).toContain(`href="/triggers/new?kind=${kind}"`)
    }
  })

  it('makes a webhook with its options, and goes on to its page', async () => {
    const options = { dedup: 'header', dedup_header: 'x-delivery', handshake: 'slack' }
    const record = await created(
      await submitNew('webhook', filled({ ...options, concurrency: '3' })),
    )
    expect(record).toMatchObject({
      name: 'by hand',
      kind: 'webhook',
      default_params: { a: 1 },
      options: { concurrency: 3, handshake: 'slack', dedup: { header: 'x-delivery' } },
      enabled: true,
    })
  })

  it('makes a schedule', async () => {
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

  it('a source keeps the line ends that its CID was made of, though browsers send others', async () => {
    const code = `${source}\n// one\n\n// two\n`
    const record = await created(
      await submitNew('webhook', filled({ action_code: code.replaceAll('\n', '\r\n') })),
    )
    expect(record.action_cid).toBe(await actionCid(code))
  })

  it('tells what is wrong beside its field, and keeps what was typed but for the key', async () => {
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
    expect(fieldError(page, 'name')).toBe('Enter a name, by which you will know it.')
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
      /^Its ticks may be 5 s apart.* Enter five fields/,
    ],
    ['schedule', { cron: '' }, 'cron', /^Enter a cron/],
    ['webhook', { concurrency: '1000' }, 'concurrency', /^At most 64\.$/],
    ['webhook', { dedup: 'header' }, 'dedup_header', /^Name the header/],
    ['webhook', { dedup: 'header', dedup_header: 'cookie' }, 'dedup_header', /never looked at/],
    ['webhook', { name: 'n'.repeat(201) }, 'name', /^At most 200 characters\.$/],
    ['webhook', { usage_api_key: '' }, 'usage_api_key', /^Paste the key/],
    [
      'webhook',
      { usage_api_key: 'account-key' },
      'usage_api_key',
      /^This is the key of an account/,
    ],
    ['webhook', { default_params: '{' }, 'default_params', /^This is not JSON/],
    ['webhook', { action_code: ' ' }, 'action_code', /^Enter the source/],
    ['webhook', { handshake: 'nobody' }, 'handshake', /./],
    ['chain_event', { contract_address: '0x1' }, 'contract_address', /./],
    ['chain_event', { event_signature: 'Paid(uint' }, 'event_signature', /^At position \d+/],
    ['chain_event', { topic2: '0x12' }, 'topic2', /32-byte topic/],
    ['chain_event', { start_block: 'soon' }, 'start_block', /./],
    ['chain_event', { chain: 'polygon' }, 'chain', /does not watch polygon/],
    ['chain_event', { finality: 'blocks' }, 'finality_blocks', /^Enter how many/],
  ])('%s: %j is told at %s', async (kind, over, field, expected) => {
    const event = {
      chain: 'arbitrum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'Paid(address,address,uint256)',
    }
    const page = await submitNew(kind, filled({ ...event, cron: '0 0 * * *', ...over }))
    expect(page.status).toBe(422)
    expect(fieldError(page, field)).toMatch(expected)
  })

  it('says of a key that no account has, and of one that may not run this, without a state between', async () => {
    for (const [key, name] of [
      ['unknown-key', 'unknown'],
      ['forbidden-key', 'not_permitted'],
    ] as const) {
      const page = await submitNew('webhook', filled({ usage_api_key: key }))
      expect(page.response.headers.get('location')).toMatch(new RegExp(`created=1&key=${name}$`))
    }
  })

  it('a form that is too long is refused before it is read to its end', async () => {
    const page = await submitNew('webhook', filled({ action_code: 'x'.repeat(2 * 1024 * 1024) }))
    expect(page.status).toBe(413)
    expect(textOf(page.text)).toContain('Nothing was done')
  })

  it('does not lose what was typed where a chain does not answer', async () => {
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
    expect(textOf(page.text)).toContain('The nodes of ethereum do not answer')
    expect(page.text).toContain('value="kept"')
  })
})

describe('a check without a script', () => {
  it('shows the next times and makes nothing', async () => {
    const who = await Person.signedIn()
    const page = await submitNew('schedule', { do: 'check', cron: '0 9 * * *', name: 'x' }, who)
    expect(page.status).toBe(200)
    expect(page.text.match(/<time datetime="[^"]*T09:00:00Z">/g)).toHaveLength(5)
    expect(textOf(page.text)).toContain('at least a day apart')
    expect(await (await who.owner.api('/api/triggers')).json()).toEqual([])
  })

  it('says what is wrong', async () => {
    const page = await submitNew('schedule', { do: 'check', cron: '61 * * * *' })
    expect(fieldError(page, 'cron')).toContain('out of range')
  })
})

describe('checks as one types', () => {
  const token = async (who = person) => {
    const { text } = await who.get('/triggers/new?kind=schedule')
    return /data-check-csrf="([^"]*)"/.exec(text)![1]!
  }
  const check = async (kind: string, fields: object, who = person) =>
    who.ask('/triggers/preview', { csrf: await token(who), kind, fields })

  it('give the next times of a cron, or what is wrong with it', async () => {
    const right = JSON.parse((await check('schedule', { cron: '*/5 * * * *' })).text)
    expect(right.preview).toMatchObject({ min_interval_s: 300 })
    expect(right.preview.next).toHaveLength(5)
    const wrong = await check('schedule', { cron: '* * *' })
    expect([wrong.status, JSON.parse(wrong.text)]).toEqual([
      200,
      { problems: { cron: expect.stringMatching(/^A cron has 5 fields/) } },
    ])
  })

  it('CSRF: are answered to a page of ours alone, with this session’s token', async () => {
    const csrf = await token()
    const body = { csrf, kind: 'schedule', fields: { cron: '* * * * *' } }
    const asked = (headers: Record<string, string>) =>
      person.ask('/triggers/preview', body, headers)
    expect((await asked({ origin: 'https://evil.test' })).status).toBe(403)
    expect((await asked({ ...FROM_US, 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await asked({})).status).toBe(403)
    const other = await Person.signedIn()
    expect((await other.ask('/triggers/preview', body)).status).toBe(403)
    const form = await person.post('/triggers/preview', { csrf })
    expect(form.status).toBe(415)
    const init = { method: 'POST', headers: { ...FROM_US, 'content-type': 'application/json' } }
    expect((await edge('/triggers/preview', { ...init, body: JSON.stringify(body) })).status).toBe(
      401,
    )
  })

  it('take no source, params or key', async () => {
    for (const name of ['action_code', 'usage_api_key', 'default_params'])
      expect((await check('webhook', { [name]: 'x' })).status).toBe(422)
  })

  it('looks at a chain are counted as those of programs are', async () => {
    const who = await Person.signedIn()
    const csrf = await token(who)
    const fields = {
      chain: 'ethereum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'A()',
    }
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const body = { csrf, kind: 'chain_event', fields }
    const statuses = new Set<number>()
    for (let n = 0; n < 21; n++) statuses.add((await who.ask('/triggers/preview', body)).status)
    expect(statuses).toContain(429)
  })

  it('XSS: what a contract wrote into a log is text on the page', async () => {
    const { arbitrum } = settingsOf(env).CHAINS
    const chain = new ScriptedChain({ chainId: arbitrum!.chainId, firstBlock: 70, salt: 'forms' })
    const said = MARKUPS[1]!
    const hex = [...new TextEncoder().encode(said)].map((byte) =>
      byte.toString(16).padStart(2, '0'),
    )
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const address = `0x${'51'.repeat(20)}`
    const { topic0 } = parseEventSignature('Said(string words)')
    const data = `0x${word(32)}${word(said.length)}${hex.join('').padEnd(64, '0')}`
    chain.mine([{ address, topics: [topic0], data }])
    chain.mineEmpty(3)
    const network = fetchOf({ [arbitrum!.rpc[0]!]: new ChainNode(chain) })
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
      new Request(input, init).url.startsWith(arbitrum!.rpc[0]!)
        ? network(input, init)
        : send(input, init),
    )
    const page = await submitNew('chain_event', {
      do: 'check',
      chain: 'arbitrum',
      contract_address: address,
      event_signature: 'Said(string words)',
      finality: 'latest',
    })
    expect(textOf(page.text)).toContain(said)
    expect(textOf(page.text)).toContain('It would have fired for these')
    isInert(page)
  })
})

describe('the form of a trigger that is there', () => {
  const open = async (id: string, who = person) => who.get(`/triggers/${id}/edit`)
  const fieldsShown = async (id: string): Promise<Record<string, string>> => {
    const page = await open(id)
    return { csrf: hidden(page, 'csrf'), seen: hidden(page, 'seen') }
  }
  /** What a browser would send of the page as it is. */
  const asShown = (record: TriggerRecord) => ({
    name: record.name,
    action_code: record.action_code,
    usage_api_key: '',
    default_params: JSON.stringify(record.default_params),
    max_runs_per_minute: String(record.max_runs_per_minute),
    max_queued_runs: String(record.max_queued_runs),
  })

  it('has all of it but the key', async () => {
    const { id } = await person.trigger({
      name: 'to be changed',
      usage_api_key: 'usage-hidden-key',
      default_params: { secret: 'shown to its owner' },
      options: { dedup: true, on_lost: 'retry' },
    })
    const { text } = await open(id)
    expect(text).toContain('value="to be changed"')
    expect(text).toContain('shown to its owner')
    expect(text).toMatch(/<option value="known" selected="">/)
    expect(text).not.toContain('usage-hidden-key')
    expect(text).toMatch(/<input type="password"[^>]*name="usage_api_key"/)
    expect(/<input type="password"[^>]*>/.exec(text)![0]).not.toContain('value=')
  })

  it('changes what was changed, and nothing else', async () => {
    const before = await person.trigger({ max_runs_per_minute: 7, default_params: { b: [1] } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), name: 'renamed' }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    const { updated_at: _, ...after } = await read(before.id)
    const { updated_at: __, ...rest } = before
    expect(after).toEqual({ ...rest, name: 'renamed', stats: after.stats })
    const keys = await sql(before.id, 'SELECT count(*) AS n FROM revisions')
    expect(keys).toEqual([{ n: 1 }])
  })

  it('saved without a change, changes nothing', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: '0 0 * * *' }
    expect((await person.post(`/triggers/${before.id}/edit`, form)).status).toBe(303)
    expect((await read(before.id)).updated_at).toBe(before.updated_at)
  })

  it('asks again where it was changed since the form was opened, and says when', async () => {
    const before = await person.trigger()
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), name: 'mine' }
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
    await person.owner.api(`/api/triggers/${before.id}`, { ...init, body: '{"name":"theirs"}' })
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.status).toBe(409)
    expect(textOf(page.text)).toContain('after this form was opened')
    expect(page.text).toContain('value="mine"')
    expect((await read(before.id)).name).toBe('theirs')
    const again = { ...form, csrf: hidden(page, 'csrf'), seen: hidden(page, 'seen') }
    expect((await person.post(`/triggers/${before.id}/edit`, again)).status).toBe(303)
    expect((await read(before.id)).name).toBe('mine')
  })

  it('tells what is wrong beside its field, and changes nothing', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: 'x' }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect([page.status, fieldError(page, 'cron') !== '']).toEqual([422, true])
    expect((await read(before.id)).config).toEqual({ cron: '0 0 * * *' })
  })
})

describe('what is pressed beside a trigger', () => {
  const press = async (id: string, action: string, from: string, more: object = {}) => {
    const path = `/triggers/${id}/${action}`
    return person.post(path, { csrf: hidden(await person.get(from), 'csrf', path), ...more })
  }

  it('pauses it and lets it go on, and the list says so', async () => {
    const { id } = await person.trigger()
    const paused = await press(id, 'disable', '/triggers', { from: 'list' })
    expect(paused.response.headers.get('location')).toBe('/triggers?disabled=1')
    expect((await read(id)).enabled).toBe(false)
    expect(textOf((await person.get('/triggers?disabled=1')).text)).toContain(
      'The trigger is paused',
    )
    const resumed = await press(id, 'enable', '/triggers')
    expect(resumed.response.headers.get('location')).toBe(`/triggers/${id}?enabled=1`)
    expect((await read(id)).enabled).toBe(true)
  })

  it('deletes it after saying what is lost', async () => {
    const { id } = await person.trigger()
    const page = await person.get(`/triggers/${id}/edit`)
    expect(textOf(page.text)).toContain('Nothing brings them back')
    const deleted = await press(id, 'delete', `/triggers/${id}/edit`)
    expect(deleted.response.headers.get('location')).toBe('/triggers?deleted=1')
    expect((await person.owner.api(`/api/triggers/${id}`)).status).toBe(404)
  })
})

describe('attacks on the forms', async () => {
  const victim = await Person.signedIn()
  const { id } = await victim.trigger({ name: 'of somebody else' })
  const forged = id.slice(0, 31) + (id[31] === 'A' ? 'B' : 'A')
  const POSTS = ['edit', 'enable', 'disable', 'delete']

  it('an oracle: the page of somebody else’s trigger is that of one which is unknown, forged or malformed', async () => {
    const bytes = async (of: string) => {
      const { status, text } = await person.get(`/triggers/${of}/edit`)
      return [status, text]
    }
    const theirs = await bytes(id)
    expect(theirs[0]).toBe(404)
    for (const other of [await unknownTriggerId(), forged, 'x', `${id}A`, id.toLowerCase()])
      expect(await bytes(other)).toEqual(theirs)
  })

  it('a token for one trigger, or of one person, is none for another', async () => {
    const mine = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${mine.id}/edit`), 'csrf')
    for (const action of POSTS) {
      expect((await person.post(`/triggers/${id}/${action}`, { csrf })).status).toBe(403)
      const theirs = hidden(await victim.get(`/triggers/${id}/edit`), 'csrf')
      expect((await person.post(`/triggers/${id}/${action}`, { csrf: theirs })).status).toBe(403)
    }
    expect(await read(id, victim)).toMatchObject({ enabled: true, name: 'of somebody else' })
  })

  it('CSRF: no form of another site, or without a page’s token, does anything', async () => {
    const page = await victim.get(`/triggers/${id}/edit`)
    for (const action of [
      ...POSTS.map((name) => `/triggers/${id}/${name}`),
      '/triggers/new?kind=webhook',
    ]) {
      const csrf = hidden(page, 'csrf')
      const refused = [
        await victim.post(action, { csrf, ...filled() }, { origin: 'https://evil.test' }),
        await victim.post(
          action,
          { csrf, ...filled() },
          { ...FROM_US, 'sec-fetch-site': 'cross-site' },
        ),
        await victim.post(action, { csrf, ...filled() }, {}),
        await victim.post(action, filled()),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    }
    expect(await (await victim.owner.api('/api/triggers')).json()).toHaveLength(1)
  })

  it('MEMORY: of the megabytes of who is not signed in, or on another site, nothing is read', async () => {
    for (const [headers, status] of [
      [FROM_US, 303],
      [{ ...FROM_US, 'sec-fetch-site': 'cross-site' }, 403],
    ] as const) {
      let chunks = 0
      const body = new ReadableStream({
        pull(stream) {
          if (chunks++ === 20) stream.close()
          else stream.enqueue(new Uint8Array(64 * 1024).fill(0x61))
        },
      })
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const init = { method: 'POST', body, redirect: 'manual', headers: { ...headers, ...type } }
      const answer = await edge('/triggers/new?kind=webhook', init as RequestInit)
      expect([answer.status, chunks <= 2]).toEqual([status, true])
    }
  })

  it('clickjacking: no page of them is shown in a frame', async () => {
    for (const path of [
      '/triggers',
      '/triggers/new',
      '/triggers/new?kind=webhook',
      `/triggers/${id}/edit`,
    ]) {
      const { headers } = (await victim.get(path)).response
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('words of an attacker in the query of the list do not appear on it', async () => {
    const { text } = await victim.get('/triggers?deleted=%3Cimg%3Eowned&enabled=owned')
    expect(text).not.toContain('owned')
  })
})

describe('what was done, on the page of a trigger', () => {
  const noticeAt = async (query: string) => {
    const url = `https://edge.test/triggers/x?${query}`
    return textOf((await html`${TriggerNotice({ url, actionCid: 'QmAction' })}`).toString())
  }

  it('is said with what its owner should know of the key', async () => {
    expect(await noticeAt('changed=1&key=not_permitted')).toMatch(
      /^The trigger was changed\.usage_api_key: it may not execute QmAction now/,
    )
    expect(await noticeAt('enabled=1')).toContain('goes on')
  })

  it('words of an attacker in the query do not appear, whatever they are called', async () => {
    for (const key of ['%3Cscript%3E', 'constructor', '__proto__', 'toString'])
      expect(await noticeAt(`changed=${key}&key=${key}`)).toBe('The trigger was changed.')
    expect(await noticeAt('key=owned')).toBe('')
  })
})

describe('the front page', () => {
  it('says what this is and how to begin, under 30 KB and without a script', async () => {
    const text = await (await edge('/')).text()
    expect(text).toContain('href="/console#start"')
    expect(text).toContain('href="/sign-in?next=%2Ftriggers"')
    expect(text).not.toContain('<script')
    expect(text.length).toBeLessThan(30 * 1024)
  })

  it('leads who is signed in to the triggers', async () => {
    const { status, response } = await person.get('/')
    expect([status, response.headers.get('location')]).toEqual([303, '/triggers'])
  })
})

describe('a cron in words', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['*/30 * * * * *', 'every 30 seconds'],
    ['0 9 * * *', 'every day at 09:00'],
    ['0 9,17 * * MON,fri', 'on Mondays and Fridays at 09:00 and 17:00'],
    ['15 * * * *', 'every hour at :15'],
    ['0 */6 * * *', 'every 6 hours at :00'],
    ['0 0 1 1 *', 'on the 1st of January at 00:00'],
    ['0 9 1 * 1', 'on the 1st and on Mondays at 09:00'],
    ['*/10 9-17 * * 1-5', 'every 10 minutes from 09:00 to 17:59, Monday to Friday'],
    ['0 0 0 * * 7', 'on Sundays at 00:00'],
    // A step that does not come round evenly, the last day, and the first Monday have no short words.
    ['*/7 * * * *', undefined],
    ['0 9 L * *', undefined],
    ['0 0 * * 1#1', undefined],
  ])('%s is %s', (cron, words) => expect(cronInWords(cron)).toBe(words))
})
