import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type RunBudget, RunMeter } from '../../../origin/credits/run-meter.ts'
import { EXECUTION_SECOND_CENTS } from '../../../shared/limits.ts'

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  // In production, no run starts in the first millisecond of its process.
  await vi.advanceTimersByTimeAsync(1)
})
afterEach(() => void vi.useRealTimers())

/** A meter with credit for every second. */
function meterOf(): RunMeter {
  const budget = {
    reservation: { cents: EXECUTION_SECOND_CENTS, prepare: () => {}, extend: async () => {} },
    allowance: { prepare: () => {}, extend: async () => true },
  } as unknown as RunBudget
  return new RunMeter(budget, () => {})
}

it('uses the run time that the executor reports', async () => {
  const meter = meterOf()
  meter.start()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(meter.end(4_900)).toBe(4_900)
})

it('free seconds: uses the measured time if the executor reports much less', async () => {
  const meter = meterOf()
  meter.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(meter.end(1_000)).toBe(60_000)
})
