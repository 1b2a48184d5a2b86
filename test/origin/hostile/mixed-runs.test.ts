import { expect, it } from 'vitest'
import { mixedRuns } from './mixed-runs.ts'

const RUNS = 3_000

it('among 3,000 mixed runs no answer is wrong, and no executor ends without a reason', async () => {
  const campaign = await mixedRuns(RUNS, 1)
  expect(campaign.wrong).toEqual([])
  expect(campaign.unexplained).toEqual([])
  expect(Object.values(campaign.counts).reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(
    RUNS,
  )
}, 180_000)
