import { expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type * as Fork from '../../../origin/actions/pool/fork.ts'
import { NO_KEYS, request } from './sandbox.ts'

/** Simulates a system that is out of processes: fork fails at once for an executor. */
vi.mock('../../../origin/actions/pool/fork.ts', async (original) => {
  const fork = await original<typeof Fork>()
  return {
    ...fork,
    sandboxedForkOptions: (fd: number, files: readonly string[]) => {
      if (files[0] === fork.executorFiles()[0]) throw new Error('spawn ENOMEM')
      return fork.sandboxedForkOptions(fd, files)
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
