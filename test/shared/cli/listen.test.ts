import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { startLocalStack } from '../../doubles/local-stack.ts'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../../doubles/trigger-api.ts'
import { blocksOf } from '../../system/docs/blocks.ts'
import { type Ran, type Surroundings, svc } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-listen-'))
const DEPLOYED_KEY = `${'u'.repeat(42)}A=`
const LOCAL_TOKEN = 'l'.repeat(64)
const CODE = 'function main({ event }) { return { echo: event } }'

let deployment: TriggerApi
let stack: Awaited<ReturnType<typeof startLocalStack>>
beforeAll(async () => {
  deployment = await startTriggerApi()
  stack = await startLocalStack(join(folder, '.svc'))
  stack.triggers.approve()
  writeFileSync(join(folder, 'action.js'), CODE)
})
afterAll(async () => {
  await Promise.all([deployment.close(), stack.close()])
  rmSync(folder, { recursive: true })
})

const config = join(folder, 'config')
const credentialsFile = join(config, 'credentials.json')
beforeEach(() => {
  rmSync(config, { recursive: true, force: true })
  mkdirSync(config, { mode: 0o700 })
  store({})
  deployment.runs.clear()
  for (const list of [stack.calls, stack.faults, deployment.received, stack.received])
    list.length = 0
  stack.triggers.received.length = 0
})

/** Stores credentials of the local stack and others. */
function store(more: object): void {
  const edges = { [stack.triggers.url]: { token: LOCAL_TOKEN } }
  const kept = { version: 1, origins: {}, edges, ...more }
  writeFileSync(credentialsFile, JSON.stringify(kept), { mode: 0o600 })
}

const OF_DEPLOYMENT = {
  SVC_TOKEN: GOOD_TOKEN,
  SVC_USAGE_KEY: DEPLOYED_KEY,
  SVC_API_KEY: DEPLOYED_KEY,
}

function listen(words: string[], around: Surroundings = {}): Promise<Ran> {
  const environment = {
    SVC_CONFIG_DIR: config,
    SVC_TRIGGERS_URL: deployment.url,
    ...OF_DEPLOYMENT,
    ...around.environment,
  }
  return svc(['listen', ...words], { folder, ...around, environment })
}

const LAST = ['--last', '100', '--no-follow']
const PAST = ['--action', 'action.js', ...LAST]

/** Creates a webhook in a trigger service. @returns its ID */
async function webhook(url: string, name: string): Promise<string> {
  const response = await fetch(`${url}/api/triggers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GOOD_TOKEN}` },
    body: JSON.stringify({ name, kind: 'webhook', action_code: CODE, usage_api_key: DEPLOYED_KEY }),
  })
  return ((await response.json()) as { id: string }).id
}

let next = 0
/** Adds a run of a webhook as the history shows it. Each run is a second later than the one before. */
function delivered(id: string, event: unknown, more: Partial<RunRecord> = {}): RunRecord {
  const queued_at = new Date(Date.UTC(2026, 4, 22) + 1000 * next++).toISOString()
  const input = { channel: '#prod', source: 'webhook', event, event_raw: JSON.stringify(event) }
  const { headers, ...rest } = more as { headers?: object }
  return deployment.run(deployment.triggers.get(id)!, event, {
    input: {
      ...input,
      event_raw_encoding: 'utf8',
      headers: headers ?? {},
      request: { method: 'POST' },
    },
    queued_at,
    ...rest,
  })
}

let trigger: string
beforeEach(async () => {
  deployment.triggers.clear()
  trigger = await webhook(deployment.url, 'hook')
})

const events = () => stack.calls.map(({ params }) => params.event)

describe('svc listen --action', () => {
  it('runs the action with the params of the deployed runs, from the oldest to the newest', async () => {
    const runs = [delivered(trigger, { n: 1 }), delivered(trigger, { n: 2 })]
    const ran = await listen(['hook', ...PAST])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(stack.calls.map(({ params }) => params)).toEqual(runs.map(({ input }) => input))
    expect(stack.calls[0]!.code).toBe(CODE)
  })

  it('prints the outcomes of both runs, with logs and errors, one below the other', async () => {
    const run = delivered(trigger, { fail: 'no funds' })
    const { out, code } = await listen(['hook', ...PAST])
    expect(code).toBe(1)
    expect(out.split('\n')).toEqual([
      `${run.queued_at.slice(0, 10)} ${run.queued_at.slice(11, 19)}Z  ${run.id}`,
      '  event     {"fail":"no funds"}',
      '  deployed  failed   Error: no funds',
      '                at main (action.js:1:1)',
      '            | seen',
      '  local     failed   Error: no funds',
      '                at main (action.ts:3:5)',
      '            | seen',
      '  result    same',
      '',
    ])
  })

  it('prints the lines of the example in docs/cli.md', async () => {
    const example = blocksOf('docs/cli.md').find(({ text }) => text.includes('deployed  success'))!
    const labels = (text: string) =>
      [...text.matchAll(/^ {2}([a-z]+) +/gm)].map(([, label]) => label)
    const response = { greeting: 'hello Ada' }
    delivered(trigger, { fail: 'no greeting' }, { status: 'success', error: null, response })
    const { out } = await listen(['hook', ...PAST])
    expect(labels(out)).toEqual(labels(example.text))
    for (const line of example.text.split('\n').filter((text) => / (success|failed) /.test(text)))
      expect(out).toContain(line.trimEnd())
  })

  it('says if the responses differ', async () => {
    delivered(trigger, { n: 1 }, { response: { echo: 'other' } })
    expect((await listen(['hook', ...PAST])).out).toMatch(/^ {2}result +different$/m)
  })

  it('names the headers that the history masks', async () => {
    const headers = { 'x-gitlab-token': 'REDACTED', 'x-event': 'push' }
    delivered(trigger, {}, { headers } as Partial<RunRecord>)
    expect((await listen(['hook', ...PAST])).out).toMatch(/^ {2}masked +x-gitlab-token: /m)
  })

  it('prints one JSON line per event', async () => {
    const runs = [delivered(trigger, { n: 1 }), delivered(trigger, { n: 2 })]
    const { out } = await listen(['hook', ...PAST, '--json'])
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ run }) => run.id)).toEqual(runs.map(({ id }) => id))
    expect(lines[0]).toMatchObject({ local: { status: 'success' }, same: true })
  })

  it('replaces params with those of the options', async () => {
    delivered(trigger, { n: 1 })
    await listen(['hook', ...PAST, '--params', 'channel=#dev'])
    expect(stack.calls[0]!.params).toMatchObject({ channel: '#dev', event: { n: 1 } })
  })

  it('fetches a body that the list leaves out', async () => {
    const run = delivered(trigger, { big: true })
    const { event: _, ...input } = run.input
    const whole = deployment.listed.as
    deployment.listed.as = (one) => ({ ...one, input, input_omitted: { bytes: 9, url: '' } })
    try {
      await listen(['hook', ...PAST])
    } finally {
      deployment.listed.as = whole
    }
    expect(events()).toEqual([{ big: true }])
  })

  it('fetches such a body again if the deployment was unavailable', async () => {
    delivered(trigger, { big: true })
    const whole = deployment.listed.as
    deployment.listed.as = (one) => {
      deployment.refuseNext(4)
      return { ...one, input: {}, input_omitted: { bytes: 9, url: '' } }
    }
    try {
      expect(await listen(['hook', ...PAST])).toMatchObject({ code: 0 })
    } finally {
      deployment.listed.as = whole
    }
    expect(events()).toEqual([{ big: true }])
  })

  it('reads the source again for each event', async () => {
    delivered(trigger, { n: 1 })
    delivered(trigger, { n: 2 })
    const onWrite = () => writeFileSync(join(folder, 'changing.js'), '// second')
    writeFileSync(join(folder, 'changing.js'), '// first')
    await listen(['hook', '--action', 'changing.js', ...LAST], { onWrite })
    expect(stack.calls.map(({ code }) => code)).toEqual(['// first', '// second'])
  })

  it('removes control characters from events', async () => {
    const id = 'run\u001b[2J'
    delivered(trigger, { text: '\u001b[2J\u202e' }, { response: '\u001b[2J', id })
    const { out } = await listen(['hook', ...PAST])
    for (const character of ['\u001b', '\u202e']) expect(out).not.toContain(character)
  })
})

describe('svc listen --trigger', () => {
  it('starts test runs with the params of the event, without the default params of the deployment', async () => {
    const { input } = delivered(trigger, { n: 1 })
    const { channel: _, ...ofEvent } = input
    const local = await webhook(stack.triggers.url, 'local hook')
    const ran = await listen(['hook', '--trigger', 'local hook', ...LAST])
    expect(ran).toMatchObject({ code: 0, err: '' })
    const sent = stack.triggers.received.find(({ url }) => url.endsWith('/test'))!
    expect(sent.url).toContain(local)
    expect(JSON.parse(sent.body)).toEqual({ params: ofEvent })
    expect(ran.out).toMatch(/^ {2}local +success/m)
  })
})

describe('duplicates', () => {
  it('skips a replay of an event that was already replayed, and a replay of that replay', async () => {
    const first = delivered(trigger, { n: 1 })
    const again = delivered(trigger, { n: 1 }, { replay_of: first.id })
    delivered(trigger, { n: 1 }, { replay_of: again.id })
    await listen(['hook', ...PAST])
    expect(events()).toEqual([{ n: 1 }])
  })

  it('forwards the replay of an event from before', async () => {
    const before = delivered(trigger, { n: 1 })
    delivered(trigger, { n: 1 }, { replay_of: before.id })
    await listen(['hook', '--action', 'action.js', '--last', '1', '--no-follow'])
    expect(events()).toEqual([{ n: 1 }])
  })

  it('never replays an event again whose response was lost', async () => {
    delivered(trigger, { n: 1 })
    delivered(trigger, { n: 2 })
    const local = await webhook(stack.triggers.url, 'losing')
    stack.triggers.loseNextTest()
    const { out, code } = await listen(['hook', '--trigger', 'losing', ...LAST])
    expect(code).toBe(1)
    expect(out).toMatch(/^ {2}local +unknown/m)
    expect(out.match(/^ {2}result/gm)).toHaveLength(1)
    const tests = stack.triggers.received.filter(({ url }) => url.endsWith(`${local}/test`))
    expect(tests).toHaveLength(2)
  })

  it('never replays an event again whose run started before the stack stopped responding', async () => {
    delivered(trigger, { n: 1 })
    const local = await webhook(stack.triggers.url, 'stopping')
    stack.triggers.refuseAfterNextTest(10)
    const { out, code } = await listen(['hook', '--trigger', 'stopping', ...LAST])
    stack.triggers.refuseNext(0)
    expect(code).toBe(1)
    expect(out).toMatch(/^ {2}local +unknown/m)
    const tests = stack.triggers.received.filter(({ url }) => url.endsWith(`${local}/test`))
    expect(tests).toHaveLength(1)
  })
})

describe('live events', () => {
  it('continue after the connection to the deployment and the stack dropped, without a loss', async () => {
    delivered(trigger, { n: 0 })
    const interrupted = new AbortController()
    const seen: string[] = []
    const running = listen(['hook', '--action', 'action.js', '--last', '1', '--json'], {
      signal: interrupted.signal,
      onWrite: (text) => {
        seen.push(JSON.parse(text).run.input.event.n)
        if (seen.length === 1) {
          deployment.refuseNext(2)
          stack.faults.push('unavailable', 'unavailable', 'unavailable', 'unavailable')
          delivered(trigger, { n: 1 })
          delivered(trigger, { n: 2 })
        }
        if (seen.length === 3) interrupted.abort(new Error('interrupted'))
      },
    })
    expect((await running).code).toBe(130)
    expect(seen).toEqual([0, 1, 2])
    expect(events()).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
  })

  it('end with the time from which to continue if the stack rejects an event', async () => {
    const { queued_at } = delivered(trigger, { n: 0 })
    stack.faults.push('forbidden')
    const { code, err } = await listen(['hook', ...PAST])
    expect(code).toBe(4)
    expect(err).toContain(`--since ${queued_at}`)
  })
})

describe('mixing credentials', () => {
  it('never sends the deployment’s key or token to the local stack, or the other way round', async () => {
    delivered(trigger, { n: 1 })
    await webhook(stack.triggers.url, 'mine')
    stack.triggers.received.length = 0
    await listen(['hook', ...PAST])
    await listen(['hook', '--trigger', 'mine', ...LAST])
    const sentTo = (received: readonly { headers: object; body: string }[]) =>
      JSON.stringify(received.map(({ headers, body }) => [headers, body]))
    const toStack = sentTo([...stack.received, ...stack.triggers.received])
    const toDeployment = sentTo(deployment.received)
    for (const secret of Object.values(OF_DEPLOYMENT)) expect(toStack).not.toContain(secret)
    const kept = JSON.parse(readFileSync(credentialsFile, 'utf8'))
    const { account_key, usage_keys } = kept.origins[stack.baseUrl]
    for (const secret of [LOCAL_TOKEN, account_key, usage_keys[0].key])
      expect(toDeployment).not.toContain(secret)
    expect(toStack).toContain(LOCAL_TOKEN)
    expect(toStack).toContain(usage_keys[0].key)
    expect(toDeployment).toContain(GOOD_TOKEN)
  })

  it('does not take the local token from SVC_TOKEN', async () => {
    writeFileSync(credentialsFile, JSON.stringify({ version: 1, origins: {}, edges: {} }))
    const { code, err } = await listen(['hook', '--trigger', 'mine', ...LAST])
    expect(code).toBe(4)
    expect(err).toContain('SVC_TOKEN are not used for the local stack')
    expect(stack.triggers.received).toEqual([])
  })

  it('creates its key once, and leaves the default key of other commands as it is', async () => {
    delivered(trigger, { n: 1 })
    const [keys, groups] = [stack.usageKeys.length, stack.groups.length]
    await listen(['hook', ...PAST])
    await listen(['hook', ...PAST])
    expect([stack.usageKeys.length, stack.groups.length]).toEqual([keys + 1, groups + 1])
    expect(stack.usageKeys.at(-1)).toMatchObject({ name: 'svc dev', groups: [groups + 1] })
    const kept = JSON.parse(readFileSync(credentialsFile, 'utf8'))
    expect(kept.current).toBeUndefined()
  })

  it('opens another account if the stored key belongs to a former stack, and keeps the key', async () => {
    delivered(trigger, { n: 1 })
    const former = Buffer.alloc(32, 9).toString('base64')
    store({ origins: { [stack.baseUrl]: { account_key: former } } })
    expect((await listen(['hook', ...PAST])).code).toBe(0)
    const kept = JSON.parse(readFileSync(credentialsFile, 'utf8'))
    expect(kept.origins[stack.baseUrl].former_account_keys).toEqual([former])
  })
})

describe('the local stack as the source', () => {
  it.each([
    ['by its address', (url: string) => url],
    ['by another name of this machine', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['by an alias', (url: string) => url.replace('127.0.0.1', 'stack.localhost')],
  ])('is refused %s, because replays would be replayed', async (_, name) => {
    await webhook(stack.triggers.url, 'hook')
    stack.triggers.received.length = 0
    const SVC_TRIGGERS_URL = name(stack.triggers.url)
    const ran = await listen(['hook', ...PAST], { environment: { SVC_TRIGGERS_URL } })
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toContain('cannot replay its own events')
    expect([...stack.calls, ...stack.triggers.received]).toEqual([])
  })

  it('is refused if it is the last login', async () => {
    store({ current: { base_url: stack.baseUrl, triggers_url: stack.triggers.url } })
    const ran = await listen(['hook', ...PAST], { environment: { SVC_TRIGGERS_URL: '' } })
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('its own events') })
  })

  it('is not used by default: the last login is', async () => {
    store({ current: { triggers_url: deployment.url, base_url: 'https://origin.example.com' } })
    delivered(trigger, { n: 1 })
    const ran = await listen(['hook', ...PAST], { environment: { SVC_TRIGGERS_URL: '' } })
    expect(ran.code).toBe(0)
    expect(events()).toEqual([{ n: 1 }])
  })
})

describe('a wrong command line', () => {
  it.each<[string[], string]>([
    [['hook', '--no-follow', '--action', 'action.js'], '--no-follow needs past events'],
    [['hook', '--last', '0', '--action', 'action.js'], '--last: expected a number from 1 to'],
    [['hook', '--last', '1', '--since', 'x', '--action', 'action.js'], 'either --last or --since'],
    [['hook', ...LAST], 'either --action or --trigger'],
    [['hook', ...PAST, '--trigger', 'x'], 'either --action or --trigger'],
    [['hook', ...PAST, '--state-dir', 'elsewhere'], 'svc up'],
    [['hook', '--action', 'missing.js', ...LAST], 'missing.js'],
  ])('%j has no effect', async (words, message) => {
    delivered(trigger, { n: 1 })
    expect(await listen(words)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
    expect(stack.calls).toEqual([])
  })
})
