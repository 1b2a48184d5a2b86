import { randomBytes } from 'node:crypto'
import { id as hashOf } from 'ethers'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { OverloadedError } from '../../../origin/admission/event-loop-load.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import {
  BODY_DEPTH_MAX,
  PARAMS_MAX_BYTES,
  SEALED_HEAD_MAX_BYTES,
  SOURCE_MAX_BYTES,
} from '../../../shared/limits.ts'
import {
  RUNS_PER_REQUEST_MAX,
  type RunsMessage,
  SEALED_RUNS_PATH,
} from '../../../shared/wire/sealed-runs.ts'
import {
  SEALED_OUTCOMES_PATH,
  type SealedRefusal,
  type StoredUsageKey,
} from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import {
  frameRuns,
  keyForAllActions,
  messagesOf,
  readMessages,
  sendFrame,
  sendRuns,
  type SentRun,
  storedKey,
} from './runs-client.ts'
import { sealText } from './sealed-http-client.ts'

const TRIGGER = 'T'.repeat(32)
const CODE = 'function main({ n }) { return n }'
const SLEEPS = `async function main({ ms }) {
  await new Promise((done) => setTimeout(done, ms))
  return ms
}`

let origin: TestOrigin
let account: string
let credential: StoredUsageKey
beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
  credential = await stored(await keyForAllActions(origin, account))
})
afterAll(() => origin.close())

const stored = (key: string) => storedKey(origin, key, TRIGGER)
const newId = (trigger = TRIGGER) => trigger + randomBytes(12).toString('base64url')
const newRun = (fields: Partial<SentRun> = {}): SentRun => ({ id: newId(), code: CODE, ...fields })
const send = (...runs: SentRun[]) => sendRuns(origin, { credential, runs })
const started = ({ id }: SentRun) =>
  origin.logs.filter(({ event, facts }) => event === 'run.started' && facts.run_id === id).length
/** Returns the response to each run by the run's ID. */
const byRun = (messages: RunsMessage[]) =>
  Object.fromEntries(messages.map(({ run_id, response }) => [run_id, response]))
const endedWith = (response: unknown) => ({
  state: 'ended',
  outcome: { status: 'success', response },
})
const outcomes = (run_ids: string[], wait_ms = 5_000) =>
  origin.sealed(SEALED_OUTCOMES_PATH, { run_ids, wait_ms })
async function endOf({ id }: SentRun) {
  for (;;) {
    const { ended } = await outcomes([id])
    if (ended[id]) return ended[id]
  }
}

/** Holds back runs with params that contain `text`, until `open` is called. All runs are executed by the real pool. */
function holdBack(text: string): { open: () => void } {
  const { services, pool } = origin
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const run: ActionPool['run'] = async (request, capability, control) => {
    if (request.params.includes(text)) await opened
    return pool.run(request, capability, control)
  }
  const own: ActionPool = {
    run,
    refusal: (request) => pool.refusal(request),
    load: () => pool.load(),
    ready: () => pool.ready(),
    drain: () => pool.drain(),
    close: () => pool.close(),
  }
  const limits = { wallMs: 10_000, cpuMs: 1_000 }
  services.executions = new Executions({ ...services, pool: own, limits })
  return { open }
}
let ownExecutions: Executions
beforeAll(() => {
  ownExecutions = origin.services.executions
})
afterEach(() => {
  origin.services.executions = ownExecutions
})

describe('a batch of runs', () => {
  it('executes each run with its own params and source, and sends a shared source once', async () => {
    const runs = [1, 2, 3].map((n) => newRun({ params: JSON.stringify({ n }) }))
    const other = newRun({ code: `${CODE} //`, params: '{"n":"\u{1f980}"}' })
    const plaintext = frameRuns(origin, { credential, runs: [...runs, other] })
    expect(Buffer.from(plaintext).toString().split(CODE)).toHaveLength(3)
    const messages = await sendFrame(origin, plaintext)
    expect(byRun(messages)).toMatchObject({
      [runs[0]!.id]: endedWith(1),
      [runs[1]!.id]: endedWith(2),
      [runs[2]!.id]: endedWith(3),
      [other.id]: endedWith('\u{1f980}'),
    })
    expect(messages).toHaveLength(4)
  })

  it('answers each run when it ends: a run that has not started does not delay the others', async () => {
    const { open } = holdBack('last')
    const runs = ['last', 'b', 'c'].map((n) => newRun({ params: JSON.stringify({ n }) }))
    const call = await sealText(
      origin,
      frameRuns(origin, { credential, runs }),
      'psk',
      SEALED_RUNS_PATH,
    )
    const messages = messagesOf(call, await origin.post(SEALED_RUNS_PATH, call.body))
    const answered = []
    for await (const { run_id } of messages) {
      answered.push(run_id)
      if (answered.length === 2) open()
    }
    expect(new Set(answered.slice(0, 2))).toEqual(new Set([runs[1]!.id, runs[2]!.id]))
    expect(answered[2]).toBe(runs[0]!.id)
  })

  it('counts the wait from the start of each run: one that is queued behind a slow run is not reported as running', async () => {
    const slow = newRun({ code: SLEEPS, params: '{"ms":5500}' })
    const queued = newRun({ params: '{"n":2}' })
    // The account has one executor, so the second run starts when the first one has ended.
    const first = sendRuns(origin, { credential, runs: [slow], wait_ms: 5_000 })
    while (started(slow) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const second = await sendRuns(origin, { credential, runs: [queued], wait_ms: 5_000 })
    expect(await first).toEqual([{ run_id: slow.id, response: { state: 'running' } }])
    expect(second).toMatchObject([{ run_id: queued.id, response: endedWith(2) }])
    expect(await endOf(slow)).toMatchObject({ response: 5_500 })
  })

  it('continues after the edge has disconnected', async () => {
    const { open } = holdBack('unread')
    const runs = [1, 2].map((n) => newRun({ params: JSON.stringify({ n, unread: true }) }))
    const call = await sealText(
      origin,
      frameRuns(origin, { credential, runs }),
      'psk',
      SEALED_RUNS_PATH,
    )
    const response = await origin.post(SEALED_RUNS_PATH, call.body)
    await response.body!.cancel()
    open()
    for (const [at, run] of runs.entries())
      expect(await endOf(run)).toMatchObject({ status: 'success', response: at + 1 })
  })

  it('replay: executes nothing a second time, and seals the outcome to the original sender alone', async () => {
    const run = newRun({ params: '{"n":1}' })
    const plaintext = frameRuns(origin, { credential, runs: [run] })
    const call = await sealText(origin, plaintext, 'psk', SEALED_RUNS_PATH)
    for (let time = 0; time < 3; time++) {
      const response = await origin.post(SEALED_RUNS_PATH, call.body)
      expect(await readMessages(call, response)).toMatchObject([
        { run_id: run.id, response: endedWith(1) },
      ])
    }
    expect(started(run)).toBe(1)
    const attacker = await sealText(origin, plaintext, 'psk', SEALED_RUNS_PATH)
    const response = await origin.post(SEALED_RUNS_PATH, call.body)
    await expect(readMessages(attacker, response)).rejects.toThrow('cannot be decrypted')
  })
})

describe('double execution', () => {
  const cents = async (key: string): Promise<number> =>
    (await origin.core('billing/balance', { key })).body.balance_cents

  it('a run that is twice in a batch is executed once and charged once', async () => {
    const run = newRun({ params: '{"n":1}' })
    const before = await cents(account)
    const messages = await send(run, run)
    expect(messages.map(({ run_id }) => run_id)).toEqual([run.id, run.id])
    expect(await endOf(run)).toMatchObject({ response: 1 })
    expect(started(run)).toBe(1)
    expect(await cents(account)).toBe(before - 1)
  })

  it('a run in several batches is executed once and charged once', async () => {
    const run = newRun({ params: '{"n":1}' })
    const others = [1, 2, 3, 4].map(() => newRun({ params: '{"n":2}' }))
    const before = await cents(account)
    await Promise.all(others.map((other) => send(run, other)))
    const ends = await Promise.all([run, ...others].map(endOf))
    expect(ends.map(({ response }) => response)).toEqual([1, 2, 2, 2, 2])
    expect([run, ...others].map(started)).toEqual([1, 1, 1, 1, 1])
    expect(await cents(account)).toBe(before - 5)
  })

  it('overdraft: a batch executes only the runs that the account can pay for', async () => {
    const key = await origin.poor(4)
    const own = await stored(await keyForAllActions(origin, key))
    const runs = [1, 2, 3, 4].map((n) => newRun({ params: JSON.stringify({ n }) }))
    const messages = await sendRuns(origin, { credential: own, runs })
    const states = messages.map(({ response }) =>
      response.state === 'refused' ? response.status : response.state,
    )
    expect(states.filter((state) => state === 'ended')).toHaveLength(2)
    expect(states.filter((state) => state === 402)).toHaveLength(2)
    expect(runs.filter((run) => started(run) === 1)).toHaveLength(2)
    expect(await cents(key)).toBe(0)
  })
})

describe('a bad run', () => {
  const good = () => newRun({ params: '{"n":"good"}' })
  const deep = `{"n":${'['.repeat(BODY_DEPTH_MAX)}${']'.repeat(BODY_DEPTH_MAX)}}`

  it.each<[string, Partial<SentRun>, number]>([
    ['params that are an array', { params: '[1]' }, 400],
    ['no params', { params: '' }, 400],
    ['truncated params', { params: '{"n":1' }, 400],
    ['params and a second value', { params: '{"n":1},{}' }, 400],
    ['params that are not UTF-8', { params: Buffer.from('{"n":"\xff"}', 'latin1') }, 400],
    ['params nested too deeply', { params: deep }, 400],
    ['params that are too large', { params: `{"n":"${'x'.repeat(PARAMS_MAX_BYTES)}"}` }, 413],
    ['a source that is not UTF-8', { code: Buffer.from('// \xff', 'latin1') }, 400],
    ['a source that is too large', { code: `//${' '.repeat(SOURCE_MAX_BYTES)}` }, 413],
  ])('with %s is refused, and does not fail the others of its batch', async (_, bad, status) => {
    const [first, refused, last] = [good(), newRun(bad), good()]
    const responses = byRun(await send(first, refused, last))
    expect(responses[refused.id]).toMatchObject({ state: 'refused', status })
    expect(responses[first.id]).toMatchObject(endedWith('good'))
    expect(responses[last.id]).toMatchObject(endedWith('good'))
    expect(started(refused)).toBe(0)
  })

  it('privilege escalation: of an action that the key may not execute is refused, and the others are executed', async () => {
    const key = await origin.account()
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    const group = await origin.group(key, { cid_hashes_permitted: [hashOf(cid)] })
    const own = await stored(await origin.usageKey(key, { execute_in_groups: [group] }))
    const [permitted, forbidden] = [good(), newRun({ code: `${CODE} ` })]
    const messages = await sendRuns(origin, { credential: own, runs: [forbidden, permitted] })
    expect(byRun(messages)).toMatchObject({
      [permitted.id]: endedWith('good'),
      [forbidden.id]: { state: 'refused', status: 403 },
    })
    expect(started(forbidden)).toBe(0)
  })
})

describe('a request that is refused as a whole is answered with one message without a run ID:', () => {
  /** Expects a refusal of all runs. @returns the refusal */
  function refusalOf(messages: RunsMessage[], runs: readonly SentRun[]) {
    expect(messages).toEqual([{ response: expect.objectContaining({ state: 'refused' }) }])
    expect(runs.map(started)).toEqual(runs.map(() => 0))
    return messages[0]!.response as SealedRefusal
  }

  it('impersonation of the edge: base mode', async () => {
    const runs = [newRun(), newRun()]
    const messages = await sendFrame(origin, frameRuns(origin, { credential, runs }), {
      mode: 'base',
    })
    expect(refusalOf(messages, runs)).toMatchObject({ status: 403, error: 'forbidden' })
  })

  it('transplant: a run of another trigger, beside runs of the key’s trigger', async () => {
    const runs = [newRun(), newRun({ id: newId('U'.repeat(32)) })]
    expect(refusalOf(await send(...runs), runs)).toMatchObject({ status: 403 })
  })

  it('transplant: a key that was sealed for another trigger or owner', async () => {
    for (const change of [{ trigger_id: 'U'.repeat(32) }, { owner_id: 'someone' }]) {
      const own = { ...credential, ...change }
      const runs = [newRun({ id: newId(own.trigger_id) })]
      const messages = await sendRuns(origin, { credential: own, runs })
      expect(refusalOf(messages, runs)).toMatchObject({ status: 400 })
    }
  })

  it('privilege escalation: an account key', async () => {
    const runs = [newRun()]
    const messages = await sendRuns(origin, { credential: await stored(account), runs })
    const refusal = refusalOf(messages, runs)
    expect(refusal).toMatchObject({ status: 403, message: expect.stringContaining('account key') })
  })

  it('an unknown or a revoked key', async () => {
    const revoked = await keyForAllActions(origin, account)
    const body = { usage_api_key: revoked }
    await origin.core('remove_usage_api_key', { key: account, body })
    for (const key of ['nobody', revoked]) {
      const runs = [newRun()]
      const messages = await sendRuns(origin, { credential: await stored(key), runs })
      expect(refusalOf(messages, runs)).toMatchObject({ status: 401, error: 'unauthorized' })
    }
  })

  const now = () => origin.services.now()
  it.each<[string, () => object]>([
    ['expired', () => ({ issued_at: now() - 30_000, expires_at: now() - 1 })],
    ['from the future', () => ({ issued_at: now() + 60_000, expires_at: now() + 90_000 })],
    ['valid for too long', () => ({ expires_at: now() + 600_000 })],
  ])('stale or future: a request that is %s', async (_, head) => {
    const runs = [newRun()]
    const messages = await sendRuns(origin, { credential, runs, head: head() })
    expect(refusalOf(messages, runs)).toMatchObject({ status: 400, reason: 'request_not_fresh' })
  })

  const sizes = (params_bytes: number, source = 0) => ({ attempt: 1, source, params_bytes })
  it.each<[string, (run: SentRun) => object]>([
    ['sizes that leave bytes over', ({ id }) => ({ runs: [{ id, ...sizes(1) }] })],
    ['sizes that exceed the body', ({ id }) => ({ runs: [{ id, ...sizes(3) }] })],
    ['a source that exceeds the body', () => ({ source_bytes: [CODE.length + 1] })],
    ['a source that reaches into the params', () => ({ source_bytes: [CODE.length, 1] })],
    ['a source that is not there', ({ id }) => ({ runs: [{ id, ...sizes(2, 1) }] })],
    ['a negative source', ({ id }) => ({ runs: [{ id, ...sizes(2, -1) }] })],
    ['a negative size', ({ id }) => ({ runs: [{ id, ...sizes(-1) }] })],
    ['a size that is not whole', ({ id }) => ({ runs: [{ id, ...sizes(2.5) }] })],
    ['no sources', () => ({ source_bytes: [] })],
    ['no runs', () => ({ runs: [] })],
    ['an attempt 0', ({ id }) => ({ runs: [{ id, ...sizes(2), attempt: 0 }] })],
    ['an ID of the wrong length', ({ id }) => ({ runs: [{ ...sizes(2), id: `${id}A` }] })],
    ['a wait that is too long', () => ({ wait_ms: 5_001 })],
    ['a plain API key', () => ({ credential: { api_key: account } })],
    ['a head that is too large', () => ({ padding: 'x'.repeat(SEALED_HEAD_MAX_BYTES) })],
  ])('malformed: %s', async (_, head) => {
    const run = newRun()
    const messages = await sendRuns(origin, { credential, runs: [run], head: head(run) })
    expect([400, 422]).toContain(refusalOf(messages, [run]).status)
  })

  it('malformed: more runs than allowed', async () => {
    const runs = Array.from({ length: RUNS_PER_REQUEST_MAX + 1 }, () => newRun())
    expect(refusalOf(await send(...runs), runs)).toMatchObject({ status: 400 })
  })

  it('fuzzing: no head causes a 500', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.maxSafeInteger(), anyText())
    const names = ['credential', 'wait_ms', 'source_bytes', 'runs', 'request_id', 'expires_at']
    const heads = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
      requiredKeys: [],
    })
    await fc.assert(
      fc.asyncProperty(heads, async (head) => {
        for (const { response } of await sendRuns(origin, { credential, runs: [newRun()], head }))
          if (response.state === 'refused') expect([400, 401, 403, 422]).toContain(response.status)
      }),
      { numRuns: 80 },
    )
  })

  it('malformed: a plaintext that is not a frame', async () => {
    const texts = ['', 'x', '\xff\xff\xff\xff', '{}\0\0\0\x03', '{]\0\0\0\x02', 'null\0\0\0\x04']
    for (const text of texts) {
      const messages = await sendFrame(origin, Uint8Array.from(Buffer.from(text, 'latin1')))
      expect([400, 422]).toContain(refusalOf(messages, []).status)
    }
  })

  it('overload', async () => {
    const { services } = origin
    const own = services.load
    services.load = {
      requireRoom() {
        throw new OverloadedError('busy', 1_000)
      },
    }
    const runs = [newRun()]
    try {
      expect(refusalOf(await send(...runs), runs)).toMatchObject({ retry_after_s: 1 })
    } finally {
      services.load = own
    }
  })
})
