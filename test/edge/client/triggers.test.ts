import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RUN_ID_CHARACTERS } from '../../../shared/ids.ts'
import { refuseRequest } from '../../../edge/identity/agent-requests.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { newAgentToken } from '../../../shared/client/agent-token.ts'
import type { SvcError } from '../../../shared/client/failures.ts'
import { createRequester } from '../../../shared/client/requester.ts'
import type { Run, StoredTrigger, TriggerFields } from '../../../shared/client/triggers/records.ts'
import {
  triggerOperations,
  type TriggerOperations,
} from '../../../shared/client/triggers/triggers.ts'
import {
  db,
  edge,
  kill,
  type Owner,
  random,
  script,
  slow,
  someOwner,
  success,
  unknownTriggerId,
} from '../app.ts'

/** What becomes of a request on its way, or of its answer. */
type Way = (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>

let owner: Owner
let way: Way
let asked: string[]
let waits: number[]
let announced: string[]
beforeAll(async () => {
  owner = await someOwner()
})
beforeEach(() => {
  way = (request, send) => send(request)
  asked = []
  waits = []
  announced = []
})

type Over = { token?: string | undefined; signal?: AbortSignal; times?: number }

/** A client of the edge itself, over a network that is as the test wants it. Its waits are short. */
function client({ times = 0, signal, ...over }: Over = {}): TriggerOperations {
  const sleep = async (ms: number, either?: AbortSignal) => {
    waits.push(ms)
    await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20)))
    either?.throwIfAborted()
  }
  const network = { now: Date.now, random, sleep, ...(signal && { signal }) }
  const requester = createRequester({
    ...network,
    origin: 'https://origin.test',
    edge: 'https://edge.test',
    fetch: (input, init) => {
      const request = new Request(input, init)
      asked.push(`${request.method} ${request.url.replace('https://edge.test', '')}`)
      return way(request, (sent) => edge(sent.url, sent))
    },
    retries: { times },
    signal,
    beforeCredential: async (kind) => void announced.push(kind),
  })
  return triggerOperations({ ...network, requester, token: owner.token, ...over })
}

const cut = (): never => {
  throw new TypeError('the connection was lost')
}
/** The request arrives, and its answer does not. */
const lose: Way = async (request, send) => {
  await send(request)
  return cut()
}
/** The first request of a kind goes another way than the rest. */
const onceFor = (pattern: RegExp, other: Way): Way => {
  let isGone = false
  return (request, send) => {
    if (isGone || !pattern.test(`${request.method} ${request.url}`)) return send(request)
    isGone = true
    return other(request, send)
  }
}
/** Pages of two, as the edge makes them when it is asked to. */
const smallPages: Way = (request, send) =>
  send(new Request(request.url.replace(/limit=(50|200)/, 'limit=2'), request))

const fields = (over: Partial<TriggerFields> = {}): TriggerFields => ({
  name: 'of the client',
  kind: 'webhook',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  ...over,
})
const created = (over?: Partial<TriggerFields>): Promise<StoredTrigger> =>
  client().create(fields(over))
const failureOf = (call: Promise<unknown>): Promise<SvcError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: SvcError) => error,
  )
/** So many runs that have ended, oldest first. */
async function ended(triggerId: string, count: number): Promise<Run[]> {
  const runs: Run[] = []
  for (let left = count; left > 0; left--) {
    const { run_id } = await client().fire(triggerId, '{}')
    runs.push(await client().waitForRun(run_id))
  }
  return runs
}

describe('a trigger', () => {
  it('is made, read, changed, listed and deleted', async () => {
    const triggers = client()
    const trigger = await triggers.create(fields({ default_params: { a: 1 } }))
    expect(trigger.webhook_url).toMatch(new RegExp(`/webhook/${trigger.id}$`))
    expect(await triggers.get(trigger.id)).toMatchObject({ id: trigger.id, enabled: true })
    const changed = await triggers.patch(trigger.id, { enabled: false })
    expect(changed).toMatchObject({ enabled: false, default_params: { a: 1 } })
    const disabled = await triggers.list({ kind: 'webhook', enabled: false }).all()
    expect(disabled.map(({ id }) => id)).toEqual([trigger.id])
    await triggers.delete(trigger.id)
    expect(await failureOf(triggers.get(trigger.id))).toMatchObject({
      name: 'NotFound',
      status: 404,
      requestId: expect.any(String),
    })
  })

  it('can be previewed', async () => {
    const cron = { kind: 'schedule', config: { cron: '*/5 * * * *' } } as const
    expect(await client().preview(cron)).toMatchObject({ min_interval_s: 300 })
  })

  it('is told which chains can be watched', async () => {
    const chains = await client().chains()
    const names = chains.map(({ chain, chain_id }) => [chain, chain_id])
    expect(names).toEqual(Object.entries({ ethereum: 1, base: 8453, arbitrum: 42161, bsc: 56 }))
  })

  it('AN ORIGIN THAT IS NOT VERIFIED: a usage key is announced before it is sent, like a key of the core API', async () => {
    const triggers = client()
    const { id } = await triggers.create(fields())
    await triggers.patch(id, { usage_api_key: 'another-key' })
    await triggers.patch(id, { name: 'renamed' })
    expect(announced).toEqual(['token', 'body', 'token', 'body', 'token'])
  })

  it('is refused with the field’s name', async () => {
    const refused = failureOf(created({ max_queued_runs: 0 }))
    expect(await refused).toMatchObject({ name: 'Unprocessable', status: 422 })
    expect((await refused).message).toContain('max_queued_runs')
  })

  it('is listed once over several pages, also when others are made and deleted meanwhile', async () => {
    owner = await someOwner()
    const made: string[] = []
    for (let left = 5; left > 0; left--) made.unshift((await created()).id)
    way = smallPages
    const found: string[] = []
    for await (const { id } of client().list()) {
      found.push(id)
      if (found.length === 2) await created()
      if (found.length === 3) await client().delete(made[4]!)
    }
    expect(found).toEqual(made.slice(0, 4))
  })

  it('LINK TO ANOTHER HOST: a page that names the next one there has the token sent to nobody', async () => {
    const hosts = new Set<string>()
    way = async (request, send) => {
      hosts.add(new URL(request.url).host)
      const answer = await smallPages(request, send)
      const headers = new Headers(answer.headers)
      const link = headers.get('link')
      if (link) headers.set('link', link.replace(/https?:\/\/[^/]+/, 'https://attacker.test'))
      return new Response(answer.body, { status: answer.status, headers })
    }
    expect((await client().list().all()).length).toBeGreaterThan(2)
    expect([...hosts]).toEqual(['edge.test'])
  })

  it('is created once, and a lost answer says that it may be there', async () => {
    way = lose
    const before = await client()
      .list()
      .all()
      .catch(() => [])
    const failed = await failureOf(client({ times: 4 }).create(fields({ name: 'lost' })))
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(failed.fix).toContain('A trigger may have been made')
    expect(before).toEqual([])
    way = (request, send) => send(request)
    const found = await client().list().all()
    expect(found.filter(({ name }) => name === 'lost')).toHaveLength(1)
  })

  it('is deleted although the answer was lost', async () => {
    const { id } = await created()
    way = onceFor(/DELETE/, lose)
    await client().delete(id)
    expect(asked.filter((question) => question.startsWith('DELETE'))).toHaveLength(2)
    expect(await failureOf(client().get(id))).toMatchObject({ status: 404 })
  })

  it('that is not there is not deleted', async () => {
    expect(await failureOf(client().delete(await unknownTriggerId()))).toMatchObject({
      name: 'NotFound',
    })
  })

  it.each(['', '..', '../me', 'x'.repeat(48), `${'x'.repeat(31)}/`])(
    'PATH IN AN ID: %j is sent nowhere',
    async (id) => {
      const triggers = client()
      for (const call of [
        () => triggers.get(id),
        () => triggers.patch(id, {}),
        () => triggers.delete(id),
        () => triggers.test(id, { params: {} }),
        () => triggers.purge(id),
        () => triggers.fire(id, ''),
        () => triggers.runs(id).all(),
        () => triggers.watchRuns(id).next(),
        () => triggers.run(`${id}.`),
        () => triggers.cancelRun(`${id}.`),
        () => triggers.replayRun(`${id}.`),
      ])
        expect(await failureOf(call())).toMatchObject({ name: 'NotSent', code: 'malformed_id' })
      expect(asked).toEqual([])
    },
  )
})

describe('a firing', () => {
  it('brings the exact bytes, with a signature and without the token', async () => {
    const { id } = await created()
    const body = new Uint8Array([0xff, 0x00, 0x7b])
    let sent: Headers | undefined
    way = (request, send) => {
      sent ??= request.headers
      return send(request)
    }
    const fired = await client().fire(id, body, { 'X-Hub-Signature-256': 'sha256=00' })
    expect(sent?.get('authorization')).toBeNull()
    const run = await client().waitForRun(fired.run_id)
    expect(run).toMatchObject({ status: 'success', response: 'done' })
    expect(run.input).toMatchObject({
      event_raw: '/wB7',
      event_raw_encoding: 'base64',
      headers: { 'x-hub-signature-256': 'sha256=00' },
    })
  })

  it('of a text needs no content type, and of a client without a token no token', async () => {
    const { id } = await created()
    const fired = await client({ token: undefined }).fire(id, '{"a":1}')
    expect((await client().waitForRun(fired.run_id)).input).toMatchObject({ event: { a: 1 } })
  })

  it('is sent once, and under a key again, where the trigger knows deliveries by theirs', async () => {
    const { id } = await created({ options: { dedup: true } })
    way = onceFor(/webhook/, lose)
    expect(await failureOf(client({ times: 4 }).fire(id, '{}'))).toMatchObject({
      name: 'NetworkFailed',
      fix: expect.stringContaining('triggers.runs(id)'),
    })
    way = onceFor(/webhook/, lose)
    const again = await client({ times: 4 }).fire(id, '{}', {}, { idempotencyKey: 'one' })
    expect(again).toMatchObject({ duplicate: true })
    expect(await client().runs(id).all()).toHaveLength(2)
  })

  it('of a disabled trigger is refused, and not sent again', async () => {
    const { id } = await created({ enabled: false })
    expect(await failureOf(client({ times: 4 }).fire(id, '{}'))).toMatchObject({
      name: 'ServiceUnavailable',
      code: 'trigger_disabled',
    })
    expect(asked.filter((question) => question.includes('/webhook/'))).toHaveLength(1)
  })

  it('HEADER INJECTION: a line break in a header is sent nowhere, and its value not told', async () => {
    const { id } = await created()
    asked = []
    const failed = await failureOf(client().fire(id, '', { 'x-a': 's3cret\r\nx-b: 1' }))
    expect(failed).toMatchObject({ name: 'NotSent', code: 'bad_header' })
    expect(`${failed.message}${failed.stack}`).not.toContain('s3cret')
    expect(asked).toEqual([])
  })
})

describe('runs', () => {
  it('are tested, replayed, cancelled and purged', async () => {
    const { id } = await created({ max_runs_per_minute: 2 })
    const triggers = client()
    const test = await triggers.waitForRun((await triggers.test(id, { event: { a: 1 } })).run_id)
    expect(test).toMatchObject({ test: true, input: { event: { a: 1 } } })
    const replayed = await triggers.replayRun(test.id, { code: 'original' })
    expect(await triggers.waitForRun(replayed.run_id)).toMatchObject({ replay_of: test.id })
    const [first, second] = [await triggers.fire(id, '1'), await triggers.fire(id, '2')]
    expect(await triggers.cancelRun(first.run_id)).toMatchObject({ status: 'failed' })
    expect(await triggers.purge(id)).toEqual({ cancelled: 1 })
    expect(await triggers.run(second.run_id)).toMatchObject({ status: 'failed', attempt: 0 })
    expect(await failureOf(triggers.cancelRun(test.id))).toMatchObject({ code: 'run_not_queued' })
  })

  it('are cancelled although the answer was lost, and a run that ended before is not', async () => {
    const { id } = await created({ max_runs_per_minute: 1 })
    const [done] = await ended(id, 1)
    const { run_id } = await client().fire(id, '{}')
    way = onceFor(/cancel/, lose)
    expect(await client().cancelRun(run_id)).toMatchObject({ id: run_id, status: 'failed' })
    way = onceFor(/cancel/, lose)
    expect(await failureOf(client().cancelRun(done!.id))).toMatchObject({ name: 'Conflict' })
  })

  it.each(['test', 'replayRun', 'purge'] as const)('%s is sent once', async (name) => {
    const { id } = await created()
    const [run] = await ended(id, 1)
    way = lose
    asked = []
    const triggers = client({ times: 4 })
    const call = {
      test: () => triggers.test(id, { params: {} }),
      replayRun: () => triggers.replayRun(run!.id),
      purge: () => triggers.purge(id),
    }[name]()
    expect(await failureOf(call)).toMatchObject({
      name: 'NetworkFailed',
      mayHaveBeenExecuted: true,
    })
    expect(asked).toHaveLength(1)
  })

  it('are listed once each over pages, while more are fired', async () => {
    const { id } = await created()
    const runs = (await ended(id, 5)).map((run) => run.id)
    way = smallPages
    const found: string[] = []
    for await (const run of client().runs(id)) {
      found.push(run.id)
      if (found.length === 1) await ended(id, 2)
    }
    expect(found).toEqual(runs.toReversed())
    expect(asked.filter((question) => question.includes('/runs?'))).toHaveLength(3)
  })

  it('are listed by status and time, at most so many, and asked for no further than they are read', async () => {
    const { id } = await created()
    const runs = await ended(id, 4)
    way = smallPages
    const some = client().runs(id, { status: 'success', since: runs[1]!.queued_at, limit: 3 })
    expect((await some.all()).map((run) => run.id)).toEqual(
      runs
        .slice(1)
        .map((run) => run.id)
        .toReversed(),
    )
    asked = []
    for await (const run of client().runs(id)) {
      expect(run.id).toBe(runs[3]!.id)
      break
    }
    expect(asked).toHaveLength(1)
    expect(
      await client()
        .runs(id, { until: new Date(0) })
        .all(),
    ).toEqual([])
  })

  it('too large for one answer are asked for in smaller pages', async () => {
    const { id } = await created()
    const runs = await ended(id, 3)
    way = async (request, send) =>
      request.url.includes('limit=50')
        ? new Response('{'.padEnd(33 * 1024 * 1024), {
            headers: { 'content-type': 'application/json' },
          })
        : send(request)
    expect(await client().runs(id).all()).toHaveLength(runs.length)
  })
})

describe('waiting for a run', () => {
  it('goes on over lost connections, and ends with the run', async () => {
    const { id } = await created({ action_code: script(slow(300)) })
    const { run_id } = await client().fire(id, '{}')
    let questions = 0
    way = (request, send) => (++questions > 1 && questions < 6 ? cut() : send(request))
    expect(await client().waitForRun(run_id)).toMatchObject({ status: 'success' })
    expect(asked.some((question) => question.endsWith('?wait=30'))).toBe(true)
  })

  it('goes on when the trigger’s object begins again', async () => {
    const { id } = await created({ action_code: script(slow(500)) })
    const { run_id } = await client().fire(id, '{}')
    const waiting = client().waitForRun(run_id)
    await kill(id)
    expect((await waiting).finished_at).not.toBeNull()
  })

  it('does not begin at a wrong address, with a wrong token, or for an unknown run', async () => {
    const { id } = await created()
    const [run] = await ended(id, 1)
    const other = (await someOwner()).token
    expect(await failureOf(client({ token: other }).waitForRun(run!.id))).toMatchObject({
      status: 404,
    })
    const unknown = newAgentToken().token
    expect(await failureOf(client({ token: unknown }).waitForRun(run!.id))).toMatchObject({
      name: 'Unauthorized',
    })
    way = () => cut()
    expect(await failureOf(client().waitForRun(run!.id))).toMatchObject({ name: 'NetworkFailed' })
  })

  it('ends when the trigger is deleted', async () => {
    const { id } = await created({ action_code: script(slow(20_000)) })
    const { run_id } = await client().fire(id, '{}')
    way = onceFor(/wait=/, async (request, send) => {
      await client().delete(id)
      return send(request)
    })
    expect(await failureOf(client().waitForRun(run_id))).toMatchObject({ name: 'NotFound' })
  })

  it.each(['the call', 'the client'])(
    'ends with the signal of %s, and throws its reason',
    async (whose) => {
      const { id } = await created({ action_code: script(slow(20_000)) })
      const { run_id } = await client().fire(id, '{}')
      const controller = new AbortController()
      const { signal } = controller
      way = onceFor(/wait=/, async () => {
        controller.abort(new Error('enough'))
        return cut()
      })
      const waiting =
        whose === 'the call'
          ? client().waitForRun(run_id, { signal })
          : client({ signal }).waitForRun(run_id)
      expect(await failureOf(waiting)).toMatchObject({ message: 'enough' })
      await client().delete(id)
    },
  )

  it('A BUSY LOOP: what answers at once in place of waiting is asked again after a while', async () => {
    const { id } = await created({ action_code: script(slow(300)) })
    const { run_id } = await client().fire(id, '{}')
    way = (request, send) => send(new Request(request.url.replace('?wait=30', ''), request))
    await client().waitForRun(run_id)
    expect(waits.length).toBeGreaterThan(0)
    expect(waits.every((ms) => ms === 1_000)).toBe(true)
  })
})

describe('watching runs', () => {
  it('gives those that end from the call on, each once', async () => {
    const { id } = await created()
    await ended(id, 2)
    let watch!: ReturnType<TriggerOperations['watchRuns']>
    await new Promise<void>((begun) => {
      way = onceFor(/limit=1$/, async (request, send) => {
        const answer = await send(request)
        begun()
        return answer
      })
      watch = client().watchRuns(id)
    })
    const runs = await ended(id, 4)
    const found: string[] = []
    for await (const run of watch) if (found.push(run.id) === 4) break
    expect(found).toEqual(runs.map((run) => run.id))
  })

  it('gives those that were under way when it began', async () => {
    const { id } = await created({ action_code: script(slow(400)) })
    const { run_id } = await client().fire(id, '{}')
    const watch = client().watchRuns(id)
    expect((await watch.next()).value).toMatchObject({ id: run_id, status: 'success' })
    await watch.return()
  })

  it('gives what has ended since a time, page by page, oldest first', async () => {
    const { id } = await created()
    const runs = await ended(id, 6)
    way = smallPages
    const found: string[] = []
    for await (const run of client().watchRuns(id, { since: runs[1]!.queued_at })) {
      found.push(run.id)
      if (found.length === 2) runs.push(...(await ended(id, 1)))
      if (found.length === 6) break
    }
    expect(found).toEqual(runs.slice(1).map((run) => run.id))
  })

  it('gives cancelled runs, and each once while they wait, start and end', async () => {
    const { id } = await created({ max_runs_per_minute: 2, action_code: script(slow(200)) })
    const watch = client().watchRuns(id, { since: new Date(Date.now() - 60_000) })
    const fired: string[] = []
    for (let left = 4; left > 0; left--) fired.push((await client().fire(id, '{}')).run_id)
    const found = [(await watch.next()).value!.id, (await watch.next()).value!.id]
    await client().cancelRun(fired[3]!)
    found.push((await watch.next()).value!.id)
    await client().purge(id)
    found.push((await watch.next()).value!.id)
    await watch.return()
    expect(found.toSorted()).toEqual(fired.toSorted())
    expect(found[2]).toBe(fired[3])
  })

  it('goes on after a pause of the network, and misses nothing of it', async () => {
    const { id } = await created()
    const watch = client().watchRuns(id, { since: new Date(0) })
    const [before] = await ended(id, 1)
    expect((await watch.next()).value).toMatchObject({ id: before!.id })
    const during = await ended(id, 2)
    let left = 8
    way = (request, send) => (left-- > 0 ? cut() : send(request))
    expect((await watch.next()).value).toMatchObject({ id: during[0]!.id })
    expect((await watch.next()).value).toMatchObject({ id: during[1]!.id })
    await watch.return()
    expect(left).toBeLessThan(0)
  })

  it('waits longer while nothing happens', async () => {
    const { id } = await created()
    const controller = new AbortController()
    const watch = client().watchRuns(id, { signal: controller.signal })
    way = (request, send) => {
      if (waits.length === 7) controller.abort(new Error('enough'))
      return send(request)
    }
    expect(await failureOf(watch.next())).toMatchObject({ message: 'enough' })
    for (const [at, most] of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      expect(waits[at]).toBeLessThanOrEqual(most)
      expect(waits[at]).toBeGreaterThanOrEqual(most / 2)
    }
  })

  it('ends with the trigger', async () => {
    const { id } = await created()
    const watch = client().watchRuns(id)
    const next = failureOf(watch.next())
    await client().delete(id)
    expect(await next).toMatchObject({ name: 'NotFound' })
  })

  it('tells at once of a network that was never there, and disturbs nobody who does not read', async () => {
    way = () => cut()
    client().watchRuns(await unknownTriggerId())
    const watch = client().watchRuns(await unknownTriggerId())
    expect(await failureOf(watch.next())).toMatchObject({ name: 'NetworkFailed' })
  })
})

describe('a token', () => {
  it('is made of 48 bytes, and its challenge is the specification’s', async () => {
    const made = newAgentToken((bytes) => new Uint8Array(bytes).fill(7))
    expect(made.token).toBe('BwcH'.repeat(16))
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(made.token))
    expect(made.challenge).toBe(
      btoa(String.fromCharCode(...new Uint8Array(hash)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', ''),
    )
    expect(made.comparisonCode).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(newAgentToken().token).not.toBe(newAgentToken().token)
  })

  it('THE TOKEN IN A URL: what a person opens has the challenge alone', () => {
    const made = newAgentToken()
    const url = new URL(made.authorizeUrl('https://edge.test'))
    expect(url.pathname).toBe('/agent/authorize')
    expect([...url.searchParams]).toEqual([['challenge', made.challenge]])
    expect(url.href).not.toContain(made.token)
  })

  it('is waited for until a person has approved it', async () => {
    const { token, challenge } = newAgentToken()
    way = async (request, send) => {
      const answer = await send(request)
      if (asked.length === 3)
        await approveAgentToken({ db, now: Date.now, random }, { challenge, userId: owner.id })
      return answer
    }
    const me = await client({ token: undefined }).waitUntilAuthorized({ token })
    expect(me).toMatchObject({ id: owner.id, token_expires_at: expect.any(String) })
    expect(asked).toEqual(Array(4).fill('GET /api/me'))
    expect(waits).toEqual([1_000, 1_000, 1_000])
    expect(await client({ token }).me()).toEqual(me)
  })

  it('is not waited for after another refusal, with a text that is none, or when it is aborted', async () => {
    const { token } = newAgentToken()
    way = async () => Response.json({ error: 'forbidden', message: 'm', fix: 'f' }, { status: 403 })
    const triggers = client({ token })
    expect(await failureOf(triggers.waitUntilAuthorized())).toMatchObject({ name: 'Forbidden' })
    asked = []
    const malformed = failureOf(triggers.waitUntilAuthorized({ token: 'a b' }))
    expect(await malformed).toMatchObject({ name: 'NotSent', code: 'bad_credential' })
    expect(asked).toEqual([])
    const controller = new AbortController()
    const { signal } = controller
    way = async (request, send) => {
      controller.abort(new Error('enough'))
      return send(request)
    }
    expect(await failureOf(triggers.waitUntilAuthorized({ signal }))).toMatchObject({
      message: 'enough',
    })
  })

  it('THE TOKEN IN A REQUEST: registering sends challenge, label and scopes, whatever it is given', async () => {
    const agent = newAgentToken()
    let sent: unknown
    way = async (asking, send) => {
      sent = await asking.clone().json()
      expect(asking.headers.has('authorization')).toBe(false)
      return send(asking)
    }
    const scopes = ['triggers:read' as const]
    const request = { ...agent, label: 'a script', scopes }
    const registered = await client({ token: undefined }).registerAgentRequest(request)
    expect(sent).toEqual({ challenge: agent.challenge, label: 'a script', scopes })
    expect(registered).toEqual({
      request_id: expect.any(String),
      user_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      authorize_url: agent.authorizeUrl('https://edge.test'),
      expires_at: expect.any(String),
    })
    const again = failureOf(client().registerAgentRequest(request))
    expect(await again).toMatchObject({ name: 'Conflict', code: 'challenge_taken' })
  })

  it('is not waited for any longer when its request was refused', async () => {
    const { token, challenge } = newAgentToken()
    const { request_id } = await client().registerAgentRequest({ challenge, label: 'refused' })
    way = async (request, send) => {
      if (asked.length === 4) await refuseRequest({ db, now: Date.now, random }, request_id)
      return send(request)
    }
    expect(await failureOf(client({ token }).waitUntilAuthorized())).toMatchObject({
      name: 'Unauthorized',
      code: 'request_refused',
    })
    expect(waits).toEqual([1_000, 1_000])
  })

  it('that the client has not is asked for before anything is sent', async () => {
    const triggers = client({ token: undefined })
    for (const call of [() => triggers.me(), () => triggers.create(fields())])
      expect(await failureOf(call())).toMatchObject({ name: 'NotSent', code: 'no_token' })
    expect(asked).toEqual([])
  })
})

/** The routes for clients; the others are pages, and what asks whether the service is there. */
const FOR_CLIENTS = /^\/(api|webhook)\/|^\/agent\/requests$/

it('no operation of the trigger service is forgotten', async () => {
  const described = await (await edge('/openapi.json')).json<{ paths: Record<string, object> }>()
  const served = Object.entries(described.paths)
    .filter(([path]) => FOR_CLIENTS.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    // A handshake is between a sender of webhooks and the edge.
    .filter((route) => /^(get|post|patch|delete) /.test(route) && route !== 'get /webhook/{id}')
  way = async () => Response.json({ error: 'forbidden', message: 'm', fix: 'f' }, { status: 403 })
  const triggers = client()
  const id = await unknownTriggerId()
  const runId = 'r'.repeat(RUN_ID_CHARACTERS)
  const all: (() => Promise<unknown>)[] = [
    () => triggers.me(),
    () => triggers.registerAgentRequest({ challenge: newAgentToken().challenge, label: 'x' }),
    () => triggers.create(fields()),
    () => triggers.list().all(),
    () => triggers.get(id),
    () => triggers.patch(id, { enabled: false }),
    () => triggers.delete(id),
    () => triggers.preview(fields()),
    () => triggers.test(id, { params: {} }),
    () => triggers.purge(id),
    () => triggers.fire(id, '{}'),
    () => triggers.runs(id).all(),
    () => triggers.run(runId),
    () => triggers.cancelRun(runId),
    () => triggers.replayRun(runId),
    () => triggers.chains(),
  ]
  for (const call of all) expect(await failureOf(call())).toMatchObject({ name: 'Forbidden' })
  const called = asked.map((line) => {
    const [method = '', path = ''] = line.replace(/\?.*$/, '').split(' ')
    return `${method.toLowerCase()} ${path.replace(id, '{id}').replace(runId, '{id}')}`
  })
  expect([...new Set(called)].toSorted()).toEqual(served.toSorted())
})
