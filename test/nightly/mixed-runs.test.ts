import { expect, it } from 'vitest'
import { mixedRuns, type Sample } from '../origin/hostile/mixed-runs.ts'

const RUNS = Number(process.env['SVC_NIGHTLY_RUNS'] ?? 100_000)

/** What memory may gain from the third quarter of a campaign to the last: a byte in three runs, at full length. */
const GROWTH_MAX_MIB = 8

/** The least of a part of the samples: what garbage comes on top of it says nothing. */
const least = (samples: readonly Sample[], of: 'executorsRssMib' | 'heapMib') =>
  Math.min(...samples.map((sample) => sample[of]))

it('100,000 mixed runs: no wrong answer, no end without a reason, and memory stays flat', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const campaign = await mixedRuns(RUNS, seed)
  const { samples, ...figures } = campaign
  const third = samples.slice(samples.length / 2, (samples.length * 3) / 4)
  const last = samples.slice((samples.length * 3) / 4)
  const growth = {
    executorsRssMib: least(last, 'executorsRssMib') - least(third, 'executorsRssMib'),
    heapMib: least(last, 'heapMib') - least(third, 'heapMib'),
  }
  const series = {
    executorsRssMib: samples.map(({ executorsRssMib }) => Math.round(executorsRssMib)).join(' '),
    heapMib: samples.map(({ heapMib }) => heapMib.toFixed(1)).join(' '),
  }
  console.info(JSON.stringify({ seed, ...figures, series, growth }, undefined, 2))
  expect(campaign.wrong).toEqual([])
  expect(campaign.unexplained).toEqual([])
  expect(growth.executorsRssMib).toBeLessThan(GROWTH_MAX_MIB)
  expect(growth.heapMib).toBeLessThan(GROWTH_MAX_MIB)
})
