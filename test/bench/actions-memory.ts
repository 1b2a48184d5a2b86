/** Measures the memory of an idle sandbox and an idle executor. */
import { readFileSync } from 'node:fs'
import { createActionPool } from '../../origin/actions/pool.ts'
import { compileEngine, engineBytes } from '../../origin/actions/engine/engine-module.ts'
import { readGuestSources } from '../../origin/actions/engine/guest-sources.ts'
import { Sandbox } from '../../origin/actions/engine/sandbox.ts'
import { buildTemplate } from '../../origin/actions/engine/template.ts'
import { median, type Metric } from './report.ts'

const SANDBOXES = 24
const EXECUTORS = 4
const MIB = 1024 * 1024

export async function measureMemory(metric: (values: Omit<Metric, 'bench'>) => void) {
  metric({ metric: 'vm_rss_mib', value: (await sandboxBytes()) / MIB, unit: 'MiB' })
  metric({
    metric: 'executor_private_mib',
    value: (await executorPrivateBytes()) / MIB,
    unit: 'MiB',
  })
}

/** Median memory that each additional sandbox adds to this process. */
async function sandboxBytes(): Promise<number> {
  const template = await buildTemplate(engineBytes(), readGuestSources())
  const module = compileEngine(template.engine)
  const kept: Sandbox[] = []
  const added: number[] = []
  for (let made = 0; made < SANDBOXES; made++) {
    const before = process.memoryUsage.rss()
    kept.push(await Sandbox.create(module, template))
    added.push(process.memoryUsage.rss() - before)
  }
  return kept.length === SANDBOXES ? median(added) : Number.NaN
}

/** Private memory of an idle executor, as reported by the kernel. */
async function executorPrivateBytes(): Promise<number> {
  const pids: number[] = []
  const pool = createActionPool({
    min: EXECUTORS,
    max: EXECUTORS,
    onEvent: (event) => {
      if (event.type === 'executor_ready' && event.pid !== undefined) pids.push(event.pid)
    },
  })
  await pool.ready()
  const bytes = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, kb]) => Number(kb))
    return kilobytes.reduce((sum, kb) => sum + kb, 0) * 1024
  })
  await pool.close()
  return median(bytes)
}
