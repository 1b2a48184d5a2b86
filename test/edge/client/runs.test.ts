import { describe, expect, it } from 'vitest'
import { newAgentToken } from '../../../shared/client/agent-token.ts'
import type { TriggerOperations } from '../../../shared/client/triggers/triggers.ts'
import { kill, script, slow, someOwner, success, unknownTriggerId } from '../app.ts'
import {
  beginAnew,
  client,
  created,
  cut,
  ended,
  failureOf,
  line,
  lose,
  onceFor,
  smallPages,
} from './edge-client.ts'

beginAnew()

describe('runs', () => {
  it('can be tested, replayed, cancelled and purged', async () => {
    const { id } = await created({ max_runs_per_minute: 2 })
    const triggers = client()
    const test = await triggers.waitForRun((await triggers.test(id, { event: { a: 1 } })).run_id)
    expect(test).toMatchObject({ test: true, input: { event: { a: 1 } } })
    const replayed = await triggers.replayRun(test.id, { code: 'original' })
    expect(await triggers.waitForRun(replayed.run_id)).toMatchObject({ replay_of: test.id })
    const [first, second] = [await triggers.fire(id, '1'), await triggers.fire(id, '2')]
    expect(await triggers.cancelRun(first.run_id!)).toMatchObject({ status: 'failed' })
    expect(await triggers.purge(id)).toEqual({ cancelled: 1 })
    expect(await triggers.run(second.run_id!)).toMatchObject({ status: 'failed', attempt: 0 })
    expect(await failureOf(triggers.cancelRun(test.id))).toMatchObject({ code: 'run_not_queued' })
  })

  it('are cancelled although the response was lost, but not if they had already finished', async () => {
    const { id } = await created({ max_runs_per_minute: 1 })
    const [done] = await ended(id, 1)
    const { run_id } = await client().fire(id, '{}')
    line.way = onceFor(/cancel/, lose)
    expect(await client().cancelRun(run_id!)).toMatchObject({ id: run_id, status: 'failed' })
    line.way = onceFor(/cancel/, lose)
    expect(await failureOf(client().cancelRun(done!.id))).toMatchObject({ name: 'Conflict' })
  })

  it.each(['test', 'replayRun', 'purge'] as const)('%s is sent only once', async (name) => {
    const { id } = await created()
    const [run] = await ended(id, 1)
    line.way = lose
    line.asked = []
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
    expect(line.asked).toHaveLength(1)
  })

  it('are listed once each across pages while more are fired', async () => {
    const { id } = await created()
    const runs = (await ended(id, 5)).map((run) => run.id)
    line.way = smallPages
    const found: string[] = []
    for await (const run of client().runs(id)) {
      found.push(run.id)
      if (found.length === 1) await ended(id, 2)
    }
    expect(found).toEqual(runs.toReversed())
    expect(line.asked.filter((question) => question.includes('/runs?'))).toHaveLength(3)
  })

  it('are listed by status and time up to the limit, without fetching unread pages', async () => {
    const { id } = await created()
    const runs = await ended(id, 4)
    line.way = smallPages
    const some = client().runs(id, { status: 'success', since: runs[1]!.queued_at, limit: 3 })
    expect((await some.all()).map((run) => run.id)).toEqual(
      runs
        .slice(1)
        .map((run) => run.id)
        .toReversed(),
    )
    line.asked = []
    for await (const run of client().runs(id)) {
      expect(run.id).toBe(runs[3]!.id)
      break
    }
    expect(line.asked).toHaveLength(1)
    expect(
      await client()
        .runs(id, { until: new Date(0) })
        .all(),
    ).toEqual([])
  })

  it.each([10, 1])(
    'that are too large for one response are fetched in pages of %d',
    async (fits) => {
      const { id } = await created()
      const runs = await ended(id, 3)
      line.way = async (request, send) =>
        Number(new URL(request.url).searchParams.get('limit')) > fits
          ? new Response('{'.padEnd(33 * 1024 * 1024), {
              headers: { 'content-type': 'application/json' },
            })
          : send(request)
      expect(await client().runs(id).all()).toHaveLength(runs.length)
    },
  )
})

describe('waiting for a run', () => {
  it('continues after lost connections, until the run finishes', async () => {
    const { id } = await created({ action_code: script(slow(300)) })
    const { run_id } = await client().fire(id, '{}')
    let questions = 0
    line.way = (request, send) => (++questions > 1 && questions < 6 ? cut() : send(request))
    expect(await client().waitForRun(run_id!)).toMatchObject({ status: 'success' })
    expect(line.asked.some((question) => question.endsWith('?wait=30'))).toBe(true)
  })

  it('continues after the trigger’s object restarts', async () => {
    const { id } = await created({ action_code: script(slow(500)) })
    const { run_id } = await client().fire(id, '{}')
    const waiting = client().waitForRun(run_id!)
    await kill(id)
    expect((await waiting).finished_at).not.toBeNull()
  })

  it('fails for a foreign run, with an unknown token, or without a connection', async () => {
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
    line.way = () => cut()
    expect(await failureOf(client().waitForRun(run!.id))).toMatchObject({ name: 'NetworkFailed' })
  })

  it('fails when the trigger is deleted', async () => {
    const { id } = await created({ action_code: script(slow(20_000)) })
    const { run_id } = await client().fire(id, '{}')
    line.way = onceFor(/wait=/, async (request, send) => {
      await client().delete(id)
      return send(request)
    })
    expect(await failureOf(client().waitForRun(run_id!))).toMatchObject({ name: 'NotFound' })
  })

  it.each(['the call', 'the client'])(
    'stops with the abort reason of the signal of %s',
    async (whose) => {
      const { id } = await created({ action_code: script(slow(20_000)) })
      const { run_id } = await client().fire(id, '{}')
      const controller = new AbortController()
      const { signal } = controller
      line.way = onceFor(/wait=/, async () => {
        controller.abort(new Error('enough'))
        return cut()
      })
      const waiting =
        whose === 'the call'
          ? client().waitForRun(run_id!, { signal })
          : client({ signal }).waitForRun(run_id!)
      expect(await failureOf(waiting)).toMatchObject({ message: 'enough' })
      await client().delete(id)
    },
  )

  it('busy loop: waits a second before the next request if the edge responds without waiting', async () => {
    const { id } = await created({ action_code: script(slow(300)) })
    const { run_id } = await client().fire(id, '{}')
    line.way = (request, send) => send(new Request(request.url.replace('?wait=30', ''), request))
    await client().waitForRun(run_id!)
    expect(line.waits.length).toBeGreaterThan(0)
    expect(line.waits.every((ms) => ms === 1_000)).toBe(true)
  })
})

describe('watching runs', () => {
  it('yields each run that finishes after the call exactly once', async () => {
    const { id } = await created()
    await ended(id, 2)
    let watch!: ReturnType<TriggerOperations['watchRuns']>
    await new Promise<void>((begun) => {
      line.way = onceFor(/limit=1$/, async (request, send) => {
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

  it('yields runs that were in progress at the start', async () => {
    const { id } = await created({ action_code: script(slow(400)) })
    const { run_id } = await client().fire(id, '{}')
    const watch = client().watchRuns(id)
    expect((await watch.next()).value).toMatchObject({ id: run_id, status: 'success' })
    await watch.return()
  })

  it('yields runs that finished after a given time, page by page, oldest first', async () => {
    const { id } = await created()
    const runs = await ended(id, 6)
    line.way = smallPages
    const found: string[] = []
    for await (const run of client().watchRuns(id, { since: runs[1]!.queued_at })) {
      found.push(run.id)
      if (found.length === 2) runs.push(...(await ended(id, 1)))
      if (found.length === 6) break
    }
    expect(found).toEqual(runs.slice(1).map((run) => run.id))
  })

  it('yields cancelled runs, and each run once although its status changes', async () => {
    const { id } = await created({ max_runs_per_minute: 2, action_code: script(slow(200)) })
    const watch = client().watchRuns(id, { since: new Date(Date.now() - 60_000) })
    const fired: string[] = []
    for (let left = 4; left > 0; left--) fired.push((await client().fire(id, '{}')).run_id!)
    const found = [(await watch.next()).value!.id, (await watch.next()).value!.id]
    await client().cancelRun(fired[3]!)
    found.push((await watch.next()).value!.id)
    await client().purge(id)
    found.push((await watch.next()).value!.id)
    await watch.return()
    expect(found.toSorted()).toEqual(fired.toSorted())
    expect(found[2]).toBe(fired[3])
  })

  it('continues after a network outage without missing runs', async () => {
    const { id } = await created()
    const watch = client().watchRuns(id, { since: new Date(0) })
    const [before] = await ended(id, 1)
    expect((await watch.next()).value).toMatchObject({ id: before!.id })
    const during = await ended(id, 2)
    let left = 8
    line.way = (request, send) => (left-- > 0 ? cut() : send(request))
    expect((await watch.next()).value).toMatchObject({ id: during[0]!.id })
    expect((await watch.next()).value).toMatchObject({ id: during[1]!.id })
    await watch.return()
    expect(left).toBeLessThan(0)
  })

  it('sends one waiting request while nothing happens', async () => {
    const { id } = await created()
    const controller = new AbortController()
    const watch = client().watchRuns(id, { signal: controller.signal })
    const waits = () => line.asked.filter((request) => request.includes('&wait=30'))
    line.way = (request, send) => {
      if (request.url.includes('&wait=30'))
        setTimeout(() => controller.abort(new Error('enough')), 200)
      return send(request)
    }
    expect(await failureOf(watch.next())).toMatchObject({ message: 'enough' })
    expect(waits()).toHaveLength(1)
    expect(line.asked.at(-1)).toBe(waits()[0])
  })

  it('ends when the trigger is deleted', async () => {
    const { id } = await created()
    const watch = client().watchRuns(id)
    const next = failureOf(watch.next())
    await client().delete(id)
    expect(await next).toMatchObject({ name: 'NotFound' })
  })

  it('fails at once if the network was never up, without an unhandled rejection if unread', async () => {
    line.way = () => cut()
    client().watchRuns(await unknownTriggerId())
    const watch = client().watchRuns(await unknownTriggerId())
    expect(await failureOf(watch.next())).toMatchObject({ name: 'NetworkFailed' })
  })
})

describe('the tail of a trigger', () => {
  it('yields the output of runs that end after the call, and then the run', async () => {
    const { id } = await created({ action_code: script(printed('one', 'two')) })
    await ended(id, 1)
    const tail = client().tail(id)
    // Lets the tail start before the run.
    const first = tail.next()
    await expect
      .poll(() => line.asked.some((request) => request.includes('wait=30')), { timeout: 20_000 })
      .toBe(true)
    const [run] = await ended(id, 1)
    const events = [(await first).value!, (await tail.next()).value!, (await tail.next()).value!]
    await tail.return()
    expect(events).toMatchObject([
      { type: 'line', line: { run_id: run!.id, attempt: 1, index: 0, text: 'one' } },
      { type: 'line', line: { run_id: run!.id, attempt: 1, index: 1, text: 'two' } },
      { type: 'run', run: { id: run!.id, status: 'success' } },
    ])
  })

  it('yields output while the run is in progress', async () => {
    const early = { ...printed('early', 'late'), after_ms: 60_000, prints: [logLine('early')] }
    const { id } = await created({ action_code: script(early) })
    const tail = client().tail(id, { since: new Date(0) })
    const { run_id } = await client().fire(id, '{}')
    expect((await tail.next()).value).toMatchObject({ line: { run_id, index: 0, text: 'early' } })
    expect(await client().run(run_id!)).toMatchObject({ status: 'running' })
    await tail.return()
  })
})

const logLine = (text: string) => ({ level: 'log' as const, at_ms: 1, text })
const printed = (...texts: string[]) => ({
  outcome: { ...success().outcome, logs: texts.map(logLine) },
})
