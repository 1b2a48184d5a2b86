import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../../doubles/trigger-api.ts'
import { type Ran, type Surroundings, svc } from './command-line.ts'

const USAGE_KEY = `${'u'.repeat(42)}A=`
const ACTION = 'function main({ event }) { return { echo: event } }'

let api: TriggerApi
const folder = mkdtempSync(join(tmpdir(), 'svc-trigger-'))
beforeAll(async () => {
  api = await startTriggerApi()
  writeFileSync(join(folder, 'action.js'), ACTION)
  writeFileSync(join(folder, 'usage-key'), `${USAGE_KEY}\n`)
})
afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

function at(words: string[], around: Surroundings = {}): Promise<Ran> {
  const environment = {
    SVC_TRIGGERS_URL: api.url,
    SVC_BASE_URL: api.url,
    SVC_TOKEN: GOOD_TOKEN,
    SVC_USAGE_KEY: USAGE_KEY,
    SVC_CONFIG_DIR: join(folder, 'config'),
    ...around.environment,
  }
  return svc(words, { folder, ...around, environment })
}

async function asJson(...words: string[]): Promise<any> {
  const ran = await at([...words, '--json'])
  expect(ran.err).toBe('')
  return JSON.parse(ran.out)
}

/** Creates a webhook of that name. @returns its ID */
async function webhook(name: string): Promise<string> {
  return (await asJson('trigger', 'create', 'action.js', '--name', name, '--webhook')).id
}

/** Body of the last creation or change. */
const lastBody = () =>
  JSON.parse(
    api.received.findLast(({ url, body }) => body !== '' && !url.endsWith('/preview'))!.body,
  )

describe('svc trigger create', () => {
  it('creates a webhook, and prints its URL and the warnings of the service', async () => {
    const { code, out } = await at([
      'trigger',
      'create',
      'action.js',
      '--name',
      'hook',
      '--webhook',
    ])
    expect(code).toBe(0)
    expect(out).toMatch(/^webhook {2}.*\/webhook\/[\w-]{32}$/m)
    expect(out).toContain('warning: the key may not run this action now')
  })

  it('sends the given fields, and prefers the usage key file to the environment', async () => {
    const given = ['--params', 'a=1', '--params', 'b=two', '--params', 'c={"d":null}']
    const caps = ['--max-runs-per-minute', '7', '--option', 'concurrency=2', '--disabled']
    const headers = ['--option', 'pass_headers=["x-custom"]']
    const other = `${'v'.repeat(42)}A=`
    writeFileSync(join(folder, 'other-key'), other)
    const key = ['--usage-key-file', 'other-key']
    await at([
      'trigger',
      'create',
      'action.js',
      '--name',
      'x',
      '--webhook',
      ...given,
      ...caps,
      ...headers,
      ...key,
    ])
    expect(lastBody()).toEqual({
      name: 'x',
      kind: 'webhook',
      config: {},
      action_code: ACTION,
      default_params: { a: 1, b: 'two', c: { d: null } },
      options: { concurrency: 2, pass_headers: ['x-custom'] },
      max_runs_per_minute: 7,
      enabled: false,
      usage_api_key: other,
    })
  })

  it('uses the key of another trigger, and then needs no usage key of this machine', async () => {
    const id = await webhook('with a key')
    const create = ['trigger', 'create', 'action.js', '--name', 'second', '--webhook']
    const environment = { SVC_USAGE_KEY: '' }
    const ran = await at([...create, '--usage-key-of', 'with a key'], { environment })
    expect(ran.code).toBe(0)
    expect(lastBody()).toMatchObject({ name: 'second', usage_key_of: id })
    expect(lastBody()).not.toHaveProperty('usage_api_key')
    for (const key of [
      ['--usage-key-file', 'usage-key'],
      ['--key-name', 'x'],
    ]) {
      const refused = await at([...create, '--usage-key-of', id, ...key])
      expect(refused.code).toBe(2)
      expect(refused.err).toContain('use only one of --usage-key-of')
    }
  })

  it('prints the next ticks of a schedule', async () => {
    const { out } = await at([
      'trigger',
      'create',
      'action.js',
      '--name',
      's',
      '--cron',
      '*/5 * * * *',
    ])
    expect(out).toMatch(/^next +2026-05-22 13:05:00Z, 2026-05-22 13:10:00Z$/m)
  })

  it('sends a schedule with a time zone, bounds and jitter, and a single run', async () => {
    const create = ['trigger', 'create', 'action.js', '--name', 's']
    const zone = ['--cron', '0 9 * * *', '--timezone', 'Europe/Berlin', '--jitter', '60']
    const bounds = ['--starts-at', '2026-05-22T00:00:00Z', '--ends-at', '2026-06-22T00:00:00Z']
    await at([...create, ...zone, ...bounds])
    expect(lastBody()).toMatchObject({
      kind: 'schedule',
      config: {
        cron: '0 9 * * *',
        timezone: 'Europe/Berlin',
        starts_at: '2026-05-22T00:00:00Z',
        ends_at: '2026-06-22T00:00:00Z',
        jitter_s: 60,
      },
    })
    await at([...create, '--at', '2026-12-24T18:00:00+01:00'])
    expect(lastBody()).toMatchObject({
      kind: 'schedule',
      config: { at: '2026-12-24T18:00:00+01:00' },
    })
  })

  it('accepts a chain event with topics, alternatives and gaps', async () => {
    const filters = ['--topic', 'any', '--topic', '0x01,0x02', '--topic', '0x03']
    const event = ['--chain', 'base', '--contract', '0xab', '--event', 'Moved(uint256)']
    const from = ['--from-block', '0x10']
    await at(['trigger', 'create', 'action.js', '--name', 'c', ...event, ...from, ...filters])
    expect(lastBody()).toMatchObject({
      kind: 'chain_event',
      config: {
        chain: 'base',
        contract_address: '0xab',
        event_signature: 'Moved(uint256)',
        start_block: '0x10',
        topic_filters: [null, ['0x01', '0x02'], '0x03'],
      },
    })
  })

  it('accepts a file with the addresses of several contracts', async () => {
    writeFileSync(join(folder, 'contracts.txt'), '0xab\n0xcd, 0xef\n\n')
    const event = ['--chain', 'base', '--event', 'Moved(uint256 value)']
    const create = ['trigger', 'create', 'action.js', '--name', 'c', ...event]
    await at([...create, '--contracts-file', 'contracts.txt'])
    expect(lastBody()).toMatchObject({ config: { addresses: ['0xab', '0xcd', '0xef'] } })
    for (const contracts of [[], ['--contract', '0xab', '--contracts-file', 'contracts.txt']]) {
      const wrong = await at([...create, ...contracts])
      expect(wrong.err).toContain('either --contract or --contracts-file')
    }
  })

  it('accepts a chain event on blocks', async () => {
    const blocks = ['--chain', 'base', '--every-blocks', '100', '--from-block', '0x10']
    await at(['trigger', 'create', 'action.js', '--name', 'c', ...blocks])
    expect(lastBody()).toMatchObject({
      kind: 'chain_event',
      config: { chain: 'base', blocks: { every: 100 }, start_block: '0x10' },
    })
  })

  it('accepts a chain event on contracts of a factory', async () => {
    const factory = { address: '0xfa', event: 'Made(address made)', parameter: 'made' }
    const options = Object.entries(factory).flatMap(([name, value]) => [`--factory-${name}`, value])
    const create = ['trigger', 'create', 'action.js', '--name', 'c', '--chain', 'base']
    await at([...create, ...options, '--event', 'Done()', '--from-block', '7'])
    expect(lastBody()).toMatchObject({
      kind: 'chain_event',
      config: { chain: 'base', factory, event_signature: 'Done()', start_block: 7 },
    })
    expect((lastBody() as { config: object }).config).not.toHaveProperty('contract_address')
  })

  it('accepts a chain event on transactions', async () => {
    const parties = ['--transactions-to', '0xab,0xcd', '--transactions-from', '0xef']
    const more = ['--selector', '0xa9059cbb', '--min-value', '5', '--transaction-status', 'any']
    const create = ['trigger', 'create', 'action.js', '--name', 'c', '--chain', 'base']
    await at([...create, ...parties, ...more, '--from-block', '7'])
    expect(lastBody()).toMatchObject({
      kind: 'chain_event',
      config: {
        chain: 'base',
        transactions: {
          to: ['0xab', '0xcd'],
          from: '0xef',
          selector: '0xa9059cbb',
          min_value: '5',
          status: 'any',
        },
        start_block: 7,
      },
    })
  })

  it('accepts conditions on the arguments of a chain event', async () => {
    const event = ['--chain', 'base', '--contract', '0xab', '--event', 'Moved(uint256 value)']
    const where = ['--where', 'value >= 5', '--where', 'value<9', '--where', 'to = 0x01, 0x02']
    await at(['trigger', 'create', 'action.js', '--name', 'c', ...event, ...where])
    expect(lastBody()).toMatchObject({
      config: { where: { value: { gte: '5', lt: '9' }, to: { in: ['0x01', '0x02'] } } },
    })
    const wrong = await at([
      'trigger',
      'create',
      'action.js',
      '--name',
      'c',
      ...event,
      '--where',
      'x',
    ])
    expect(wrong.err).toContain('--where: "x" is not a condition')
  })

  it('accepts the fields of a file, overridden by options', async () => {
    const fields = {
      name: 'filed',
      kind: 'schedule',
      config: { cron: '0 7 * * *' },
      action_code: 'x',
    }
    writeFileSync(join(folder, 'trigger.json'), JSON.stringify(fields))
    await at(['trigger', 'create', '--file', 'trigger.json', '--name', 'over', '--json'])
    expect(lastBody()).toEqual({ ...fields, name: 'over', usage_api_key: USAGE_KEY })
  })

  it('sends the secret of a sender from a file or standard input, and two while it is rotated', async () => {
    // The commands of docs/webhook-sources.md.
    writeFileSync(join(folder, 'secret'), 'old secret\n')
    const source = ['--webhook', '--option', 'source=github']
    const create = ['trigger', 'create', 'action.js', '--name', 'sourced', ...source]
    const { out, err } = await at([...create, '--webhook-secret-file', 'secret', '--json'])
    expect(lastBody()).toMatchObject({
      options: { source: 'github' },
      webhook_secret: 'old secret',
    })
    expect(out + err).not.toContain('old secret')
    const files = ['--webhook-secret-file', '-', '--webhook-secret-file', 'secret']
    await at(['trigger', 'update', 'sourced', ...files], { standardInput: 'new secret\n' })
    expect(lastBody()).toEqual({ webhook_secret: ['new secret', 'old secret'] })
  })

  it('secret in the process list: rejects a secret as an argument without repeating it', async () => {
    const before = api.received.length
    const create = ['trigger', 'create', 'action.js', '--name', 'x', '--webhook']
    for (const words of [['--webhook-secret', 'hunter22'], ['--webhook-secret=hunter22']]) {
      const { code, out, err } = await at([...create, ...words])
      expect(code).toBe(2)
      expect(err).toContain('secrets are not accepted as arguments')
      expect(out + err).not.toContain('hunter22')
    }
    expect(api.received).toHaveLength(before)
  })

  it.each<[string, string[], RegExp]>([
    ['no action', ['--name', 'x', '--webhook'], /no action: name its source file/],
    ['no name', ['action.js', '--webhook'], /--name/],
    ['nothing that fires it', ['action.js', '--name', 'x'], /--webhook, --cron and --chain/],
    ['two ways', ['action.js', '--name', 'x', '--webhook', '--cron', '* * * * *'], /one of/],
    ['two times', ['action.js', '--at', 'x', '--cron', '* * * * *'], /one of/],
    ['a time zone without a cron', ['action.js', '--timezone', 'UTC'], /need --cron/],
    ['jitter that is no number', ['action.js', '--cron', '*', '--jitter', 'x'], /integer/],
    ['an event without a chain', ['action.js', '--event', 'A()'], /need --chain/],
    ['a chain without an event', ['action.js', '--chain', 'base', '--contract', '0x1'], /--event/],
    [
      'a factory without its parameter',
      ['action.js', '--chain', 'base', '--factory-address', '0x1', '--factory-event', 'A()'],
      /--factory-parameter together/,
    ],
    [
      'a factory and a contract',
      'action.js --chain base --contract 0x1 --event A() --factory-address 0x1 --factory-event A() --factory-parameter a'.split(
        ' ',
      ),
      /either --contract or --contracts-file, or with --factory-address/,
    ],
    [
      'blocks and an event',
      ['action.js', '--chain', 'base', '--every-blocks', '9', '--event', 'A()'],
      /--every-blocks without/,
    ],
    [
      'an interval that is no number',
      ['action.js', '--chain', 'base', '--every-blocks', 'x'],
      /integer/,
    ],
    [
      'transactions and an event',
      ['action.js', '--chain', 'base', '--transactions-to', '0x1', '--event', 'A()'],
      /--transactions-to and --transactions-from without/,
    ],
    [
      'transactions and blocks',
      ['action.js', '--chain', 'base', '--transactions-to', '0x1', '--every-blocks', '9'],
      /without .* and --every-blocks/,
    ],
    ['transactions without a chain', ['action.js', '--transactions-to', '0x1'], /need --chain/],
    [
      'a selector without a party',
      ['action.js', '--chain', 'base', '--selector', '0xa9059cbb'],
      /need --transactions-to or/,
    ],
    ['a param without a value', ['action.js', '--webhook', '--params', 'a'], /key=value/],
    ['a cap that is no number', ['action.js', '--max-queued-runs', 'many'], /integer/],
    ['a file that is no JSON', ['--file', 'action.js'], /--file: expected JSON/],
    [
      'a secret that is not there',
      ['action.js', '--name', 'x', '--webhook', '--webhook-secret-file', 'absent'],
      /absent/,
    ],
    ['an action that is not there', ['absent.js', '--name', 'x', '--webhook'], /absent\.js/],
  ])('%s: exits with 2 and sends nothing', async (_, words, complaint) => {
    const before = api.received.length
    const { code, err } = await at(['trigger', 'create', ...words])
    expect(err).toMatch(complaint)
    expect(code).toBe(2)
    expect(api.received).toHaveLength(before)
  })

  it('explains how to get a usage key if there is none, and exits with 4', async () => {
    const environment = { SVC_USAGE_KEY: '' }
    const words = ['trigger', 'create', 'action.js', '--name', 'x', '--webhook']
    const { code, err } = await at(words, { environment })
    expect(err).toContain('svc key create')
    expect(code).toBe(4)
  })

  it('does not print the usage key it sends', async () => {
    const { out, err } = await at([
      'trigger',
      'create',
      'action.js',
      '--name',
      'k',
      '--webhook',
      '--json',
    ])
    expect(api.keys.at(-1)).toBe(USAGE_KEY)
    expect(out + err).not.toContain(USAGE_KEY)
  })
})

describe('a trigger can be named', () => {
  it('by its ID or its name', async () => {
    const id = await webhook('named')
    expect((await asJson('trigger', 'show', id)).name).toBe('named')
    expect((await asJson('trigger', 'show', 'named')).id).toBe(id)
  })

  it('but not by an ambiguous name: exits with 2 and prints both IDs', async () => {
    const ids = [await webhook('twin'), await webhook('twin')]
    const { code, err } = await at(['trigger', 'delete', 'twin', '--yes'])
    expect(code).toBe(2)
    for (const id of ids) expect(err).toContain(id)
  })

  it('but not by an unknown name: exits with 5', async () => {
    expect(await at(['trigger', 'show', 'nobody'])).toMatchObject({ code: 5, out: '' })
  })
})

describe('svc trigger list and show', () => {
  it('terminal injection: lines fit 80 columns, and a name cannot move the cursor', async () => {
    await webhook(`\u001b[2J\u202e${'long '.repeat(30)}`)
    const { out } = await at(['trigger', 'list'])
    expect(out).toContain('?[2J?long')
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    for (const character of ['\u001b', '\u202e']) expect(out).not.toContain(character)
  })

  it('--code prints the source unchanged', async () => {
    await webhook('coded')
    expect((await at(['trigger', 'show', 'coded', '--code'])).out).toBe(ACTION)
  })
})

describe('svc trigger update, enable and disable', () => {
  it('sends only the given fields', async () => {
    await webhook('changed')
    await at(['trigger', 'update', 'changed', '--max-queued-runs', '9'])
    expect(lastBody()).toEqual({ max_queued_runs: 9 })
    await at(['trigger', 'disable', 'changed'])
    expect(lastBody()).toEqual({ enabled: false })
    expect((await asJson('trigger', 'enable', 'changed')).enabled).toBe(true)
  })

  it('replaces the usage key only on request', async () => {
    await webhook('rekeyed')
    await at(['trigger', 'update', 'rekeyed', '--new-usage-key'])
    expect(lastBody()).toEqual({ usage_api_key: USAGE_KEY })
  })

  it('rejects an update without changes', async () => {
    await webhook('unchanged')
    expect((await at(['trigger', 'update', 'unchanged'])).code).toBe(2)
  })
})

describe('svc trigger delete', () => {
  it('asks for confirmation, and does nothing without a yes', async () => {
    const id = await webhook('kept')
    expect((await at(['trigger', 'delete', 'kept'], { typed: 'n' })).err).toContain('Delete kept')
    expect(api.triggers.has(id)).toBe(true)
    await at(['trigger', 'delete', 'kept'], { typed: 'y' })
    expect(api.triggers.has(id)).toBe(false)
  })

  it('requires --yes without a terminal, otherwise exits with 2', async () => {
    const id = await webhook('scripted')
    expect((await at(['trigger', 'delete', 'scripted'])).code).toBe(2)
    expect(await asJson('trigger', 'delete', 'scripted', '--yes')).toEqual({ deleted: id })
  })
})

describe('runs', () => {
  it('test waits for the end, and prints response and console output', async () => {
    await webhook('tested')
    const { code, out } = await at(['trigger', 'test', 'tested', '--event', '{"a":1}'])
    expect(out).toContain('{"echo":{"a":1}}')
    expect(out).toMatch(/logs\n.* log .* seen/)
    expect(code).toBe(0)
  })

  it('test of a failing run exits with 1, and prints its stack', async () => {
    await webhook('failing')
    const { code, out } = await at(['trigger', 'test', 'failing', '--event', '{"fail":"no"}'])
    expect(out).toContain('Error: no\n      at main (action.js:1:1)')
    expect(code).toBe(1)
  })

  it('--no-wait only queues the run', async () => {
    await webhook('queued')
    const queued = await asJson('trigger', 'test', 'queued', '--params', 'wait=1', '--no-wait')
    expect(queued.status).toBe('queued')
  })

  it('fire posts the given bytes and headers', async () => {
    await webhook('fired')
    const signature = ['--header', 'X-Hub-Signature-256: sha256=ab']
    await at(['trigger', 'fire', 'fired', '--body', '{"a": 1}', ...signature, '--no-wait'])
    const { body, headers } = api.received.at(-1)!
    expect([body, headers['x-hub-signature-256']]).toEqual(['{"a": 1}', 'sha256=ab'])
    expect(headers['authorization']).toBeUndefined()
  })

  it('runs prints two lines per run within 80 columns', async () => {
    await webhook('many')
    await at(['trigger', 'test', 'many', '--event', JSON.stringify('x'.repeat(200))])
    await at(['trigger', 'test', 'many', '--event', '{"fail":"no"}'])
    const { out } = await at(['trigger', 'runs', 'many'])
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    expect(lines[0]).toMatch(/^failed {3}2026-05-22 13:05:00Z {2}[\w-]{48}$/)
  })

  it('runs sends a search to the service', async () => {
    await webhook('searched')
    await at(['trigger', 'test', 'searched', '--event', '{"id":1}'])
    const search = ['--error', 'no', '--header', 'x-a:b', '--param', 'event.id=1']
    await at(['trigger', 'runs', 'searched', ...search])
    const query = new URL(api.received.at(-1)!.url, api.url).searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      error: 'no',
      header: 'x-a:b',
      param: 'event.id=1',
    })
  })

  it('run, replay and cancel accept a trigger for its newest run', async () => {
    const id = await webhook('again')
    const { run_id } = await asJson(
      'trigger',
      'test',
      'again',
      '--event',
      '{"wait":1}',
      '--no-wait',
    )
    expect((await asJson('trigger', 'run', 'again')).id).toBe(run_id)
    expect((await asJson('trigger', 'cancel', 'again')).status).toBe('failed')
    const replayed = await asJson('trigger', 'replay', 'again', '--no-wait')
    expect(api.runs.get(replayed.run_id)).toMatchObject({ replay_of: run_id, trigger_id: id })
  })

  it('tail --once prints one run as a line of JSON, and exits with 1 if it failed', async () => {
    await webhook('tailed')
    await at(['trigger', 'test', 'tailed', '--event', '{"fail":"no"}'])
    const words = [
      'trigger',
      'tail',
      'tailed',
      '--since',
      '2026-01-01T00:00:00Z',
      '--once',
      '--json',
    ]
    const { code, out } = await at(words)
    expect(out.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(out)).toMatchObject({ status: 'failed' })
    expect(code).toBe(1)
  })

  it('tail exits with 130 on Ctrl-C', async () => {
    const id = await webhook('interrupted')
    const interrupted = new AbortController()
    const words = ['trigger', 'tail', id, '--since', '2026-01-01T00:00:00Z']
    api.run(api.triggers.get(id)!, {})
    const onWrite = () => interrupted.abort(new Error('interrupted'))
    const { code, out } = await at(words, { signal: interrupted.signal, onWrite })
    expect(out).toMatch(/^success/)
    expect(code).toBe(130)
  })

  it('logs prints the output of past runs, oldest first', async () => {
    await webhook('logged')
    for (const event of ['{"n":1}', '{"fail":"no"}'])
      await at(['trigger', 'test', 'logged', '--event', event])
    const { out } = await at(['logs', 'logged'])
    expect(out).toMatch(
      /^\S{6} +1 ms {2}log {4}seen\nsuccess .*\n.*\n\S{6} +1 ms {2}log {4}seen\nfailed /,
    )
    expect(await asJson('logs', 'logged', '--last', '1')).toMatchObject([
      { type: 'line', line: { index: 0, level: 'log', text: 'seen' } },
      { type: 'run', run: { status: 'failed' } },
    ])
  })

  it('logs --follow prints past and new output, until Ctrl-C', async () => {
    const id = await webhook('followed')
    const interrupted = new AbortController()
    api.run(api.triggers.get(id)!, { n: 1 })
    let runs = 1
    const onWrite = (text: string) => {
      if (!text.startsWith('success')) return
      if (++runs === 2) api.run(api.triggers.get(id)!, { n: 2 })
      else interrupted.abort(new Error('interrupted'))
    }
    const { code, out } = await at(['logs', id, '--follow'], {
      signal: interrupted.signal,
      onWrite,
    })
    expect(out.match(/seen/g)).toHaveLength(2)
    expect(code).toBe(130)
  })

  it.for(['-1', '101', 'x'])('logs rejects --last %s', async (count) => {
    await webhook('rejected')
    const { code, err } = await at(['logs', 'rejected', '--last', count])
    expect([code, err]).toEqual([2, expect.stringContaining('--last')])
  })

  it('purge prints the number of cancelled runs', async () => {
    await webhook('purged')
    expect((await at(['trigger', 'purge', 'purged', '--yes'])).out).toBe('3 runs cancelled\n')
  })
})

it('svc chain list shows the progress of each chain', async () => {
  const { out } = await at(['chain', 'list'])
  expect(out).toMatch(/^ethereum {2}1 {3}100 {3}2 blocks {2}64 blocks {4}1 of 1 healthy$/m)
})

it('an error includes the fix from the service', async () => {
  const { code, err } = await at(['trigger', 'list'], {
    environment: { SVC_TOKEN: 'b'.repeat(64) },
  })
  expect(err).toContain('what to do about unauthorized')
  expect(code).toBe(4)
})

describe('docs/cli.md', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

  it('names every command of trigger and chain', async () => {
    for (const group of ['trigger', 'chain']) {
      const { out } = await at([group, '--help'])
      const names = [...out.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name]) => name!)
      expect(names.length).toBeGreaterThan(0)
      for (const name of names.filter((one) => one !== 'help'))
        expect(page).toContain(`svc ${group} ${name}`)
    }
  })

  it('has a configuration for the remote server without a credential, in docs/remote-mcp.md', () => {
    const remote = readFileSync(new URL('../../../docs/remote-mcp.md', import.meta.url), 'utf8')
    expect(JSON.parse(/```json\n([^]*?)```/.exec(remote)![1]!).servers.svc).toEqual({
      type: 'http',
      url: expect.stringMatching(/^https:.*\/mcp$/),
    })
  })

  it('has configurations that start svc mcp, for each client', () => {
    const blocks = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => JSON.parse(text!))
    const guide = readFileSync(
      new URL('../../../docs/how-to/use-an-agent.md', import.meta.url),
      'utf8',
    )
    expect(JSON.parse(/```json\n([^]*?)```/.exec(guide)![1]!)).toEqual(blocks[0])
    const servers = blocks.flatMap((block) => [block.mcpServers?.svc, block.servers?.svc])
    const found = servers.filter((server) => server !== undefined)
    expect(found.length).toBeGreaterThanOrEqual(2)
    for (const { command, args, env } of found) {
      expect([command, ...args]).toEqual(['npx', '--no-install', 'svc', 'mcp'])
      // Files of a project are read by others, so they must not contain secrets.
      for (const name of Object.keys(env ?? {})) expect(name).not.toMatch(/TOKEN$|KEY$/)
    }
  })
})
