import { expect, it } from 'vitest'
import { RunWaiters } from '../../../edge/queue/run-waiters.ts'

it('wakes all waiters of a run when it finishes, and no others', async () => {
  const waiters = new RunWaiters()
  const woken: string[] = []
  const wait = (suffix: string) => waiters.wait(suffix, 60_000).then(() => woken.push(suffix))
  const mine = Array.from({ length: 1_000 }, () => wait('mine'))
  const other = wait('other')
  expect(waiters.size).toBe(1_001)
  waiters.notify('mine')
  await Promise.all(mine)
  expect([woken.length, waiters.size]).toEqual([1_000, 1])
  waiters.notifyAll()
  await other
  expect(waiters.size).toBe(0)
})

it('forgets a waiter after its timeout', async () => {
  const waiters = new RunWaiters()
  const long = waiters.wait('run', 60_000)
  await waiters.wait('run', 10)
  expect(waiters.size).toBe(1)
  waiters.notify('run')
  await long
  expect(waiters.size).toBe(0)
})

it('ignores the end of a run without waiters', () => {
  const waiters = new RunWaiters()
  waiters.notify('run')
  waiters.notifyAll()
  expect(waiters.size).toBe(0)
})
