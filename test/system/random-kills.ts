/**
 * Fires webhooks continuously while processes of the stack are killed at random moments. Executions are counted outside
 * the stack: each action calls a server of the test.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Component } from '../../origin/stack/stack.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { startWebServer } from '../doubles/web-server.ts'
import type { Bounds } from '../nightly/bounds.ts'
import type { Figures } from '../nightly/figures.ts'
import { seededRandom } from '../origin/hostile/seeded-random.ts'
import { newOwner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'
import { executorsOf } from './stack-processes.ts'

/** Kills a process, and resolves when it is running again. */
type Kill = (started: StartedStack) => Promise<void>

const restarted =
  (component: Component): Kill =>
  async ({ stack }) => {
    await stack.kill(component)
    await stack.startComponent(component)
  }

/** Drawn with equal frequency. */
const KILLS: Record<string, Kill> = {
  edge: restarted('edge'),
  origin: restarted('origin'),
  chain: restarted('chain'),
  database: restarted('database'),
  executors: async ({ stateDir }) => {
    const killed = executorsOf(stateDir)
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    await until(30, 'executors are started again', async () =>
      executorsOf(stateDir).some((pid) => !killed.includes(pid)) ? true : undefined,
    )
  },
}

type Load = {
  triggers: number
  /** Interval between two webhooks of one trigger, accepted or not. */
  fireEveryMs: number
  runMsMax: number
  /** A kill follows up to this many executions after the previous one, so that runs are in flight. */
  executionsMax: number
  kinds: readonly string[]
}

const STEADY_LOAD: Load = {
  triggers: 4,
  fireEveryMs: 40,
  runMsMax: 300,
  executionsMax: 20,
  kinds: Object.keys(KILLS),
}

/** More short runs than a stack with two processors can execute, as in `npm run bench -- throughput`. */
export const FULL_LOAD: Load = {
  triggers: 100,
  fireEveryMs: 200,
  runMsMax: 2,
  executionsMax: 500,
  kinds: ['edge', 'origin', 'database'],
}

/** Share of kills that do not wait for executions, while components may still be recovering from the last one. */
const HASTY_SHARE = 0.25
/** Generous, because queues back off for up to twice the time that the origin was down. */
const EXECUTED_WITHIN_S = 120
/** Maximum random delay before a kill. */
const PAUSE_MAX_MS = 500
/** Bounds the runs queued while the origin is down, and with them the time to drain at the end. */
const QUEUED_MAX = 50
/** Time within which a run starts, or all runs have ended, unless the runs wait for a scheduled retry. */
const PROGRESS_WITHIN_S = 240

/** Pooled connections may stay broken for this long after the database is up again. */
const RECONNECTED_WITHIN_MS = 10_000

type Fired = { runId: string; n: number }

/** Unix time in milliseconds. */
type Outage = { from: number; until: number }

/**
 * Plays `count` kills. The seed `first` determines their kinds and the pauses between them.
 * @returns kills by kind, runs by outcome
 * @throws if an acknowledged run was lost, executed twice, or left unfinished
 */
export async function killAtRandom(
  { first: seed, count }: Bounds,
  load = STEADY_LOAD,
): Promise<Figures> {
  const random = seededRandom(seed)
  const plan = kindsOf(count, load.kinds, random).map((kind) => ({
    kind,
    executions: random() < HASTY_SHARE ? 0 : Math.ceil(random() * load.executionsMax),
    pauseMs: random() * PAUSE_MAX_MS,
  }))
  const databaseOutages: Outage[] = []
  const figures: Figures = {}
  const add = (name: string, value = 1) => (figures[name] = (figures[name] ?? 0) + value)
  const calls = await startWebServer((_, response) => response.end('counted'))
  const started = await startStack({
    originSettings: {
      SVC_OUTBOUND_ALLOW: `127.0.0.1:${calls.port}`,
      SVC_STARTER_CREDITS_CENTS: '1000000',
    },
    ownDatabase: true,
  })
  const enough = new AbortController()
  try {
    const owner = await newOwner(started)
    const action = `async function main({ event }) {
      await fetch('http://127.0.0.1:${calls.port}/' + event.n)
      await new Promise((resolve) => setTimeout(resolve, event.ms))
      return event.n
    }`
    const more = { max_runs_per_minute: 6_000, max_queued_runs: QUEUED_MAX }
    const triggers = await Promise.all(
      Array.from({ length: load.triggers }, () => owner.createTrigger(action, more)),
    )
    let next = 0
    const firing = triggers.map(async ({ webhook_url }) => {
      const fired: Fired[] = []
      while (!enough.signal.aborted) {
        const n = next++
        const event = { n, ms: Math.floor(random() * load.runMsMax) }
        const runId = await owner.fire(webhook_url, event).catch(() => undefined)
        if (runId !== undefined) fired.push({ runId, n })
        await sleep(load.fireEveryMs)
      }
      return fired
    })
    await chainCopied(started.stateDir)
    for (const { kind, executions, pauseMs } of plan) {
      const enoughReceived = calls.received.length + executions
      await until(EXECUTED_WITHIN_S, 'runs are executed again', async () =>
        calls.received.length >= enoughReceived ? true : undefined,
      )
      await sleep(pauseMs)
      const killedAt = Date.now()
      await KILLS[kind]!(started)
      if (kind === 'database') databaseOutages.push({ from: killedAt, until: Date.now() })
      add(`${kind} kills`)
      console.info(`${kind}: up again after ${secondsSince(killedAt)} s`)
    }
    enough.abort()
    const fired = await Promise.all(firing)
    const drainedFrom = Date.now()
    const executed = new Map<string, number>()
    const history: RunRecord[][] = []
    // Reads one trigger after another, because the requests compete with the runs.
    for (const { id } of triggers)
      history.push(await endedRuns(owner, id, () => calls.received.length))
    console.info(`every run has ended after ${secondsSince(drainedFrom)} s`)
    for (const { url } of calls.received) executed.set(url, (executed.get(url) ?? 0) + 1)
    const most = Math.max(0, ...executed.values())
    expect(most, `seed ${seed}: no action began twice`).toBe(1)
    fired.forEach((runs, i) => {
      expect(runs.length).toBeGreaterThan(0)
      const byId = new Map(history[i]!.map((run) => [run.id, run]))
      for (const { runId, n } of runs) {
        const run = byId.get(runId)
        expect(run, `seed ${seed}: every acknowledged run is in the history`).toBeDefined()
        const end = expectOneEnd(run!, executed.get(`/${n}`) ?? 0, databaseOutages, seed)
        add('acknowledged runs')
        if (end !== 'success') add(end)
      }
    })
    return figures
  } finally {
    enough.abort()
    await started.stop()
    await calls.close()
  }
}

/**
 * Checks that a run succeeded, or failed with `origin_lost`, or failed with `credits_unavailable` if the database was
 * down while it ran.
 * @returns `success`, or the error code
 */
function expectOneEnd(
  run: RunRecord,
  began: number,
  databaseOutages: readonly Outage[],
  seed: number,
): string {
  if (run.status === 'success') {
    expect(began, `seed ${seed}: a success was executed`).toBe(1)
    return run.status
  }
  const wasRunning = ({ from, until: upAt }: Outage) =>
    Date.parse(run.started_at!) < upAt + RECONNECTED_WITHIN_MS &&
    Date.parse(run.finished_at!) > from
  const allowed = databaseOutages.some(wasRunning)
    ? /origin_lost|credits_unavailable/
    : /origin_lost/
  expect(run.error, `seed ${seed}: ${run.id} failed only because of a kill`).toMatch(allowed)
  return allowed.exec(run.error!)![0]
}

const secondsSince = (unixMs: number) => ((Date.now() - unixMs) / 1000).toFixed(1)

/** Kinds in random order. Each kind comes once before any is repeated. */
function kindsOf(count: number, all: readonly string[], random: () => number): string[] {
  const kinds: string[] = []
  while (kinds.length < count) {
    const deck = [...all]
    while (deck.length > 0) kinds.push(...deck.splice(Math.floor(random() * deck.length), 1))
  }
  return kinds.slice(0, count)
}

/**
 * Waits for a copy of the current chain state. A killed chain restarts from its last copy, which must contain the
 * account.
 */
function chainCopied(stateDir: string): Promise<true> {
  const now = Date.now()
  return until(60, 'the state of the chain is copied', async () =>
    statSync(join(stateDir, 'chain', 'state.good.json')).mtimeMs > now ? true : undefined,
  )
}

/**
 * Waits for as long as further runs start: the number of queued runs and the speed of the machine vary. A run whose
 * connection broke three times waits for up to 660 s until its next attempt (`edge/queue/verdict.ts`).
 */
async function endedRuns(
  owner: Awaited<ReturnType<typeof newOwner>>,
  triggerId: string,
  startedRuns: () => number,
): Promise<RunRecord[]> {
  for (;;) {
    const before = startedRuns()
    try {
      const what = `the runs of ${triggerId} end`
      return await until(PROGRESS_WITHIN_S, what, allEnded(owner, triggerId))
    } catch (error) {
      if (startedRuns() !== before) continue
      const unfinished = (await owner.runs(triggerId)).filter((run) => run.finished_at === null)
      const isDue = ({ next_attempt_at: at }: RunRecord) => !at || Date.parse(at) <= Date.now()
      const stuck = unfinished.filter(isDue)
      if (stuck.length === 0) continue
      throw new Error(`no run started meanwhile: ${JSON.stringify(stuck)}`, { cause: error })
    }
  }
}

/** All runs if every run is finished, otherwise undefined. */
function allEnded(owner: Awaited<ReturnType<typeof newOwner>>, triggerId: string) {
  return async (): Promise<RunRecord[] | undefined> => {
    const all: RunRecord[] = []
    for (;;) {
      const page = await owner.runs(triggerId, all.length)
      if (page.some((run) => run.finished_at === null)) return undefined
      if (page.length === 0) return all
      all.push(...page)
    }
  }
}
