import { fork } from 'node:child_process'
import { afterAll, expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { PoolEvent } from '../../../origin/actions/pool.ts'
import { NO_KEYS, request, returned } from './sandbox.ts'

/** While set, executors are killed as soon as they start. */
const failing = vi.hoisted(() => ({ now: false }))
vi.mock('node:child_process', async (original) => {
  const real = await original<{ fork: typeof fork }>()
  return {
    ...real,
    fork: (...given: Parameters<typeof fork>) => {
      const child = real.fork(...given)
      if (failing.now) child.kill('SIGKILL')
      return child
    },
  }
})

const events: PoolEvent[] = []
const pool = createActionPool({ min: 1, max: 1, onEvent: (event) => events.push(event) })
afterAll(() => pool.close())
const ended = () => events.filter(({ type }) => type === 'executor_ended').length

it('restarts executors on the next run after a period in which they could not start', async () => {
  await pool.ready()
  const trivial = request('async function main() { return 1 }')
  failing.now = true
  const [first] = events
  process.kill((first?.type === 'executor_ready' && first.pid) || 0, 'SIGKILL')
  await vi.waitFor(() => expect(ended()).toBe(4), { timeout: 10_000 })
  const lost = { kind: 'lost', reason: 'executors cannot be started', started: false }
  expect(await pool.run(trivial, NO_KEYS)).toEqual(lost)
  expect(ended(), 'one more start for the run, and none without').toBe(5)
  failing.now = false
  expect(returned(await pool.run(trivial, NO_KEYS)).value).toBe('1')
})
