import { expect, it } from 'vitest'
import { type Campaign, mixedRuns, type Sample } from '../origin/hostile/mixed-runs.ts'

/** Fewer, for a look at the campaign itself. */
const RUNS = Number(process.env['SVC_NIGHTLY_RUNS'] ?? 100_000)

/** What memory may gain from the third quarter of a campaign to the last: some 500 bytes a run, with its noise. */
const GROWTH_MAX_MIB = 12

/** Two executors: the pool replaces one at 256 MiB, which it may pass by a run that fills its sandbox and its pipe. */
const EXECUTORS_MAX_MIB = 2 * 384

/** Executors that may be killed or replaced: each costs those who wait a start. */
const ENDS_MAX_SHARE = 0.001

/** The least of some samples: the garbage that comes on top of it says nothing. */
const least = (samples: readonly Sample[], of: 'executorsRssMib' | 'heapMib') =>
  Math.min(...samples.map((sample) => sample[of]))

function growth({ samples }: Campaign) {
  const third = samples.slice(samples.length / 2, (samples.length * 3) / 4)
  const last = samples.slice((samples.length * 3) / 4)
  const of = (what: 'executorsRssMib' | 'heapMib') => least(last, what) - least(third, what)
  return { executorsRssMib: of('executorsRssMib'), heapMib: of('heapMib') }
}

async function campaign(runs: number, hostileShare?: number): Promise<Campaign> {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const made = await mixedRuns(runs, seed, hostileShare)
  const { samples, ...figures } = made
  const series = {
    executorsRssMib: samples.map(({ executorsRssMib }) => Math.round(executorsRssMib)).join(' '),
    heapMib: samples.map(({ heapMib }) => heapMib.toFixed(1)).join(' '),
  }
  console.info(JSON.stringify({ seed, ...figures, series, growth: growth(made) }, undefined, 2))
  return made
}

it('100,000 mixed runs: no wrong answer, no end without a reason, and memory is bounded', async () => {
  const made = await campaign(RUNS)
  expect(made.wrong).toEqual([])
  expect(made.unexplained).toEqual([])
  expect(made.exits + made.replaced).toBeLessThan(RUNS * ENDS_MAX_SHARE)
  expect(growth(made).heapMib).toBeLessThan(GROWTH_MAX_MIB)
  const most = Math.max(...made.samples.map(({ executorsRssMib }) => executorsRssMib))
  expect(most).toBeLessThan(EXECUTORS_MAX_MIB)
})

it('ordinary runs alone: no executor ends, and the memory of both stays flat', async () => {
  const made = await campaign(RUNS / 2, 0)
  expect([made.wrong, made.unexplained, made.exits, made.replaced]).toEqual([[], [], 0, 0])
  expect(growth(made).executorsRssMib).toBeLessThan(GROWTH_MAX_MIB)
  expect(growth(made).heapMib).toBeLessThan(GROWTH_MAX_MIB)
})
