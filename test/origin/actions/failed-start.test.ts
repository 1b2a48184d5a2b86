import { expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import { NO_KEYS, request } from './sandbox.ts'

vi.mock('../../../origin/actions/pool/fork.ts', () => ({
  executorFiles: () => ['/nonexistent/executor.cjs'],
  templateBuilderFiles: () => ['/nonexistent/template-builder.cjs'],
  sandboxedForkOptions: () => ({ stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: {} }),
}))

it('a pool whose executors cannot start reports that, and loses no run silently', async () => {
  const pool = createActionPool({ min: 1, max: 1 })
  const run = pool.run(request('async function main() {}'), NO_KEYS)
  await expect(pool.ready()).rejects.toThrow('executors cannot be started')
  const lost = { kind: 'lost', reason: 'executors cannot be started', started: false }
  expect(await run).toEqual(lost)
  expect(await pool.run(request('async function main() {}'), NO_KEYS)).toEqual(lost)
  await pool.close()
})
