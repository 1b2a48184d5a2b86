/** Started within a memory limit by `memory-limit.ts`. Fills a pool of default size with actions that use all of their memory. */
import { once } from 'node:events'
import { buildSandboxBundles } from '../../../origin/actions/bundles.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import { memoryLimits } from '../../../origin/admission/memory-limits.ts'
import { availableMemory } from '../../../origin/admission/available-memory.ts'
import type { FullPoolResult } from './memory-limit.ts'

const RUNS = 300
const PARAMS_BYTES = 7_000_000
/** Fills the sandbox's memory, except for what the engine and the params use, and holds it. */
const CODE = `
  async function main(params) {
    const held = []
    for (let mib = 0; mib < 30; mib++) held.push(new Uint8Array(1024 * 1024).fill(mib + 1))
    await new Promise((resume) => setTimeout(resume, 2_000))
    return held.length + params.pad.length
  }`

await once(process, 'message')
await buildSandboxBundles()
const { executors } = memoryLimits(availableMemory())
const pool = createActionPool()
await pool.ready()
const keys = { keyOperation: () => Promise.reject(new Error('no keys here')) }
const running = Array.from({ length: RUNS }, (_, n) =>
  pool.run(
    {
      // Each run belongs to another account, because one account may use at most half of the pool.
      account: `account ${n}`,
      code: CODE,
      params: JSON.stringify({ pad: String(n).padEnd(PARAMS_BYTES, 'x') }),
      wallMs: 120_000,
      cpuMs: 60_000,
    },
    keys,
  ),
)
const results = await Promise.all(running)
const count = (fits: (result: (typeof results)[number]) => boolean) => results.filter(fits).length
const result: FullPoolResult = {
  executors,
  succeeded: count(({ kind }) => kind === 'returned'),
  shed: count((each) => each.kind === 'lost' && !each.started),
  failed: count((each) => each.kind === 'failed' || (each.kind === 'lost' && each.started)),
}
await pool.close()
process.send!(result)
process.disconnect()
