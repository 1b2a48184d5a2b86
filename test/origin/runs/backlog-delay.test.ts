import { expect, it } from 'vitest'
import { backlogDelay } from '../../../origin/runs/backlog-delay.ts'

it.each([
  [0, []],
  [15, []],
  [16, [10]],
])('with %i runs waiting for an executor, outcomes are delayed by %j ms', (waiting, expected) => {
  const load = () => ({ starting: 0, free: 0, busy: 2, waiting, isBroken: false })
  const delays: number[] = []
  const sleep = (ms: number) => {
    delays.push(ms)
    return Promise.resolve()
  }
  const delay = backlogDelay({ load }, sleep)()
  expect(delays).toEqual(expected)
  expect(delay === undefined).toBe(expected.length === 0)
})
