import { expect, it } from 'vitest'
import { mixedRuns } from './mixed-runs.ts'

const RUNS = 3_000

it('3,000 mixed runs return no wrong answer, and no executor exits without a reason', async () => {
  const campaign = await mixedRuns(RUNS, 1)
  expect(campaign.wrong).toEqual([])
  expect(campaign.unexplained).toEqual([])
  expect(Object.values(campaign.counts).reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(
    RUNS,
  )
}, 180_000)
