import { expect, it } from 'vitest'
import { type Campaign, mixedRuns, type Sample } from '../origin/hostile/mixed-runs.ts'
import { boundsOr } from './bounds.ts'
import { slope } from './slope.ts'

const { first: SEED, count: RUNS } = boundsOr({ first: 1, count: 100_000 })

/** Limit of memory growth per run. Measured: 7 bytes of heap, and slightly below zero for executors. */
const BYTES_PER_RUN_MAX = { heap: 500, executors: 1_000 }

/**
 * Limit for two executors: the pool replaces one at 256 MiB, which a run that fills its sandbox and pipe may exceed.
 */
const EXECUTORS_MAX_MIB = 2 * 384

/** Maximum share of runs after which an executor is killed or replaced, since each start delays the waiting runs. */
const ENDS_MAX_SHARE = 0.001

/** Memory growth per run in bytes, in the second half of a campaign. */
function bytesPerRun({ samples }: Campaign, of: 'executorsRssMib' | 'heapMib'): number {
  const late = samples.slice(samples.length / 2)
  return slope(late.map((sample: Sample) => ({ x: sample.run, y: sample[of] * 1024 ** 2 })))
}

async function campaign(runs: number, hostileShare?: number): Promise<Campaign> {
  const made = await mixedRuns(runs, SEED, hostileShare)
  const { samples, ...figures } = made
  const series = {
    executorsRssMib: samples.map(({ executorsRssMib }) => Math.round(executorsRssMib)).join(' '),
    heapMib: samples.map(({ heapMib }) => heapMib.toFixed(1)).join(' '),
  }
  const slopes = {
    executors: bytesPerRun(made, 'executorsRssMib'),
    heap: bytesPerRun(made, 'heapMib'),
  }
  console.info(JSON.stringify({ ...figures, series, slopes }, undefined, 2))
  return made
}

const countOf = ({ counts }: Campaign) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

it('mixed runs: give correct results, explained failures and bounded memory', async ({ task }) => {
  const made = await campaign(RUNS)
  const most = Math.max(...made.samples.map(({ executorsRssMib }) => executorsRssMib))
  task.meta.figures = {
    'mixed runs': countOf(made),
    'hostile runs among them': made.counts['hostile'] ?? 0,
    'executors replaced': made.exits + made.replaced,
    'max MiB of two executors': most,
    'max B/run of the main heap': bytesPerRun(made, 'heapMib'),
  }
  expect(made.wrong).toEqual([])
  expect(made.unexplained).toEqual([])
  expect(made.exits + made.replaced).toBeLessThan(RUNS * ENDS_MAX_SHARE)
  expect(bytesPerRun(made, 'heapMib')).toBeLessThan(BYTES_PER_RUN_MAX.heap)
  expect(most).toBeLessThan(EXECUTORS_MAX_MIB)
})

it('ordinary runs: keep all executors alive and all memory flat', async ({ task }) => {
  const made = await campaign(RUNS / 2, 0)
  task.meta.figures = {
    'ordinary runs': countOf(made),
    'max B/run of executors': bytesPerRun(made, 'executorsRssMib'),
    'max B/run of the main heap': bytesPerRun(made, 'heapMib'),
  }
  expect([made.wrong, made.unexplained, made.exits, made.replaced]).toEqual([[], [], 0, 0])
  expect(bytesPerRun(made, 'executorsRssMib')).toBeLessThan(BYTES_PER_RUN_MAX.executors)
  expect(bytesPerRun(made, 'heapMib')).toBeLessThan(BYTES_PER_RUN_MAX.heap)
})
