import { expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type * as Fork from '../../../origin/actions/pool/fork.ts'
import { NO_KEYS, request } from './sandbox.ts'

/**
 * Simulates a system that is out of processes: fork fails at once for an executor, which runs code from its own folder.
 */
vi.mock('../../../origin/actions/pool/fork.ts', async (original) => {
  const fork = await original<typeof Fork>()
  return {
    ...fork,
    sandboxedForkOptions: (fd: number, code: readonly string[]) => {
      if (code.some((folder) => folder.includes('svc-executor-'))) throw new Error('spawn ENOMEM')
      return fork.sandboxedForkOptions(fd, code)
    },
  }
})

it('process exhaustion: reports runs as lost and not started, and throws no unhandled error', async () => {
  const pool = createActionPool({ min: 1, max: 2 })
  const run = pool.run(request('async function main() {}'), NO_KEYS)
  await expect(pool.ready()).rejects.toThrow('executors cannot be started: spawn ENOMEM')
  const lost = { kind: 'lost', reason: 'executors cannot be started', started: false }
  expect(await run).toEqual(lost)
  await pool.close()
})
