import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Fewer, for a look at the campaign itself. */
const SEEDS = process.env['SVC_NIGHTLY_SEEDS'] ?? '500'

it('500 seeds of reorganisations, lies, outages and kills: one run an event, and marks where it is gone', async () => {
  // Its own process: the simulation runs inside workerd.
  const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'edge']
  const child = spawn('npx', [...vitest, 'test/edge/chain/simulation'], {
    cwd: root,
    env: { ...process.env, SVC_CHAIN_SEEDS: SEEDS },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
})
