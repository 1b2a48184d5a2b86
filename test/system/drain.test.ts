import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { METRICS_TOKEN_FILE } from '../../origin/stack/local-secrets.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { startWebServer, type WebServer } from '../doubles/web-server.ts'
import { newOwner, type Owner, until } from './owner.ts'
import { originOf } from './stack-processes.ts'
import { type StartedStack, startStack } from './stack.ts'

let calls: WebServer
let collector: WebServer
beforeAll(async () => {
  calls = await startWebServer((_, response) => response.end('counted'))
  collector = await startWebServer((_, response) => response.end())
})
afterAll(async () => {
  await calls.close()
  await collector.close()
})

/** Number of times that the action with this number was executed, counted outside the stack. */
const executions = (n: number) => calls.received.filter(({ url }) => url === `/${n}`).length
const executed = (n: number) =>
  until(60, `the action ${n} is executed`, async () => executions(n) > 0 || undefined)

const slowAction = () => `async function main({ event, n, ms }) {
  await fetch('http://127.0.0.1:${calls.port}/' + (event?.n ?? n))
  await new Promise((resolve) => setTimeout(resolve, event?.ms ?? ms))
  return event?.n ?? n
}`

const drains = ({ lines }: StartedStack) =>
  lines.filter((line) => line.includes('"origin.draining"')).length

/** Longer than any run of these tests that should succeed, even on a busy machine. */
const GRACE_MS = 30_000

/** A stack whose origin may drain for this long, and an owner with a trigger. */
async function startWorld(drainMs: number) {
  const started = await startStack({
    originSettings: {
      SVC_DRAIN_MS: String(drainMs),
      SVC_OUTBOUND_ALLOW: `127.0.0.1:${calls.port}`,
      // One account can occupy two of four executors, so its third run waits at the origin.
      SVC_EXECUTORS_MAX: '4',
      SVC_LOG_SINK: `http://127.0.0.1:${collector.port}/logs`,
      SVC_LOG_SINK_TOKEN: 'token-of-the-collector',
    },
  })
  try {
    const owner = await newOwner(started)
    const trigger = await owner.createTrigger(slowAction(), { options: { concurrency: 10 } })
    const run = (n: number, ms: number) => owner.fire(trigger.webhook_url, { n, ms })
    // Simultaneous runs of an action wait until its first run has ended.
    await run(0, 0)
    await owner.allEnded(trigger.id, 60)
    return { started, owner, trigger, run }
  } catch (error) {
    await started.stop()
    throw error
  }
}
type World = Awaited<ReturnType<typeof startWorld>>

const recordOf = async ({ owner, trigger }: World, runId: string): Promise<RunRecord> =>
  (await owner.runs(trigger.id)).find(({ id }) => id === runId)!

const runsLost = ({ lines }: StartedStack) => lines.filter((line) => line.includes('"run.lost"'))

async function waitingRuns({ baseUrl, stateDir }: StartedStack): Promise<number> {
  const token = readFileSync(join(stateDir, METRICS_TOKEN_FILE), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${baseUrl}/metrics`, { headers })).text()
  return Number(/^svc_runs_waiting (\d+)$/m.exec(text)?.[1])
}

describe('an origin that gets SIGTERM', () => {
  let world: World
  let started: StartedStack
  let owner: Owner
  beforeAll(async () => {
    world = await startWorld(GRACE_MS)
    ;({ started, owner } = world)
  })
  afterAll(() => started?.stop())
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(started?.lines.slice(-60).join('\n'))
  })

  it('ends what runs, refuses new work, and leaves the rest for the next process', async () => {
    const running = await world.run(1, 7_000)
    await executed(1)
    const call = owner.core('svc_action', { code: slowAction(), js_params: { n: 2, ms: 4_000 } })
    await executed(2)
    const waiting = await world.run(3, 0)
    await until(
      20,
      'a run waits for an executor',
      async () => (await waitingRuns(started)) || undefined,
    )

    const stopped = started.stack.stopComponent('origin')
    const health = await until(10, 'the origin drains', async () => {
      const response = await fetch(`${started.baseUrl}/health`)
      return response.status === 503 ? response : undefined
    })
    expect(await health.json()).toMatchObject({ status: 'down', reasons: [{ code: 'draining' }] })
    expect(health.headers.get('connection')).toBe('close')
    for (const [path, body] of [
      ['svc_action', { code: slowAction() }],
      ['add_group', { group_name: 'late' }],
    ] as const) {
      const refused = await owner.core(path, body).catch((error: Error) => error.message)
      expect(refused).toMatch(/^503 .*"reason":"draining"/)
    }
    const late = await world.run(4, 0)
    expect((await call).response).toBe(2)
    expect(await stopped).toBe('exited with code 0')
    // The collector has every line, including the last one.
    const events = collector.received.flatMap(({ body }) =>
      body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).event])),
    )
    expect(events).toEqual(expect.arrayContaining(['origin.ready', 'run.ended', 'origin.drained']))
    expect(collector.received[0]!.headers['authorization']).toBe('Bearer token-of-the-collector')
    expect(started.lines.join('\n')).not.toContain('token-of-the-collector')

    const answered = await recordOf(world, running)
    expect(answered).toMatchObject({ status: 'success', response: 1 })
    // A run is `running` while the edge still tries to connect to the origin, which has exited.
    for (const id of [waiting, late])
      await expect
        .poll(() => recordOf(world, id), { timeout: 30_000 })
        .toMatchObject({ status: 'queued', attempt: 0 })
    expect([3, 4].map(executions)).toEqual([0, 0])

    await started.stack.startComponent('origin')
    const runs = await owner.allEnded(world.trigger.id, 90)
    expect(runs.map(({ status, attempt }) => [status, attempt])).toEqual(
      runs.map(() => ['success', 1]),
    )
    expect([1, 2, 3, 4].map(executions)).toEqual([1, 1, 1, 1])
    expect(runsLost(started)).toEqual([])
  })

  it('exits at once when it gets a second signal', async () => {
    const running = await world.run(5, 600_000)
    await executed(5)
    const pid = originOf(started.stateDir)
    const stopped = started.stack.stopComponent('origin')
    await until(10, 'the origin drains', async () => drains(started) === 2 || undefined)
    process.kill(pid, 'SIGTERM')
    expect(await stopped).toBe('exited with code 1')
    await started.stack.startComponent('origin')
    await owner.allEnded(world.trigger.id, 90)
    expect((await recordOf(world, running)).error).toContain('origin_lost')
    expect(executions(5)).toBe(1)
  })
})

describe('a run that exceeds the grace', () => {
  it('ends as origin_lost before the origin exits, and is not executed again', async () => {
    const world = await startWorld(500)
    const { started, owner } = world
    try {
      const running = await world.run(6, 600_000)
      await executed(6)
      expect(await started.stack.stopComponent('origin')).toBe('exited with code 0')
      const lost = await until(20, 'the edge has the outcome', async () => {
        const record = await recordOf(world, running)
        return record.status === 'failed' ? record : undefined
      })
      expect(lost.error).toContain('origin_lost')
      await started.stack.startComponent('origin')
      await world.run(7, 0)
      await owner.allEnded(world.trigger.id, 90)
      expect([6, 7].map(executions)).toEqual([1, 1])
    } finally {
      await started.stop()
    }
  })
})
