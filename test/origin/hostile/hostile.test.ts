import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionPool, type PoolEvent } from '../../../origin/actions/pool.ts'
import type { ActionPool, ActionResult } from '../../../origin/actions/run.ts'
import { NO_KEYS, request } from '../actions/sandbox.ts'
import { CANARY, CANARY_KEYS, leaksIn } from './canary.ts'
import { HOSTILE_CLASSES } from './classes.ts'
import { sourceOf, wrongAbout } from './outcome.ts'
import type { HostileProgram } from './program.ts'
import { PROBE, probedLines, WHOLE_PROBE } from './probe.ts'

/** The median overrun of runs stopped by the clock must be below this. Larger overruns are noise of the machine. */
const OVERRUN_MEDIAN_MS = 60

const programs = Object.values(HOSTILE_CLASSES).flat()
const overruns: number[] = []

/** A pool with one executor, so that each program runs where hundreds of others ran before. */
type Lane = { pool: ActionPool; events: PoolEvent[]; clean: string[] }

const LANES = 2
const lanes: Lane[] = []
const free: Lane[] = []
/** Tests that wait for a free lane. */
const waiting: ((lane: Lane) => void)[] = []

beforeAll(async () => {
  for (let lane = 0; lane < LANES; lane++) {
    const events: PoolEvent[] = []
    const options = { min: 1, max: 1, runsPerExecutor: Infinity }
    const pool = createActionPool({ ...options, onEvent: (event) => events.push(event) })
    await pool.ready()
    lanes.push({ pool, events, clean: probedLines(await probe(pool)) })
  }
  free.push(...lanes)
})
afterAll(() => Promise.all(lanes.map(({ pool }) => pool.close())))

const probe = (pool: ActionPool) => pool.run(request(PROBE, { params: WHOLE_PROBE }), NO_KEYS)
/** Returns the exits of executors, except those that the pool replaced because of memory left by a large run. */
const exits = ({ events }: Lane) =>
  events.flatMap((event) =>
    event.type === 'executor_ended' && event.reason !== 'replaced' ? [event] : [],
  )

/** Reruns a program once if the pool's watchdog killed its executor, because a busy machine can starve an executor. */
async function runAgainIfStarved(
  program: HostileProgram,
  lane: Lane,
): Promise<{ result: ActionResult; ended: number }> {
  const before = exits(lane).length
  const first = await run(program, lane)
  expect(probedLines(await probe(lane.pool))).toEqual(lane.clean)
  if (program.native || exits(lane).length === before) return { result: first, ended: 0 }
  const between = exits(lane).length
  const result = await run(program, lane)
  expect(probedLines(await probe(lane.pool))).toEqual(lane.clean)
  return { result, ended: exits(lane).length - between }
}

async function run(program: HostileProgram, { pool }: Lane): Promise<ActionResult> {
  const { params = '{}', wallMs } = program
  const limits = { params, wallMs, cpuMs: 60_000 }
  const result = await pool.run(request(sourceOf(program), limits), CANARY_KEYS)
  if (result.kind === 'failed' && result.code === 'action_timeout')
    overruns.push(result.durationMs - wallMs)
  return result
}

it('there are over 500 hostile programs with unique names', () => {
  const names = Object.entries(HOSTILE_CLASSES).flatMap(([kind, all]) =>
    all.map(({ name }) => `${kind}: ${name}`),
  )
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(programs.length).toBeGreaterThanOrEqual(500)
})

describe.each(Object.entries(HOSTILE_CLASSES))('hostile %s', (_kind, all) => {
  it.concurrent.each(all.map((program) => [program.name, program] as const))(
    '%s: ends as expected, and the next run sees no trace of it',
    async (_name, program) => {
      const lane = free.shift() ?? (await new Promise<Lane>((resolve) => waiting.push(resolve)))
      try {
        const { result, ended } = await runAgainIfStarved(program, lane)
        expect(wrongAbout(program, result)).toBeUndefined()
        if (!program.tells) expect(leaksIn(JSON.stringify(result), CANARY)).toEqual([])
        expect(ended).toBe(0)
      } finally {
        const next = waiting.shift()
        if (next) next(lane)
        else free.push(lane)
      }
    },
  )
})

it('the clock stops a program soon after its deadline', () => {
  const sorted = overruns.toSorted((a, b) => a - b)
  expect(sorted.length).toBeGreaterThan(100)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(OVERRUN_MEDIAN_MS)
})

it('an executor exits only for a built-in that does not return', () => {
  const known = 'its run exceeded the deadline and it did not respond'
  expect(lanes.flatMap(exits).filter(({ reason }) => reason !== known)).toEqual([])
  expect(leaksIn(JSON.stringify(lanes.map(({ events }) => events)), CANARY)).toEqual([])
})
