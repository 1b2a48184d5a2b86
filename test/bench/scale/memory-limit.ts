/**
 * Fills a pool within a real memory limit: twice as many runs as the pool accepts, which all use as much memory as an
 * action may. Needs root and cgroup v1 or v2; otherwise reports nothing.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Metric, report } from '../report.ts'

const LIMIT_BYTES = 4 * 1024 ** 3

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'scale', ...values })

export type FullPoolResult = {
  executors: number
  succeeded: number
  shed: number
  failed: number
}

export async function measureMemoryLimit(): Promise<void> {
  const group = createGroup()
  if (!group) {
    console.error('scale memory: cannot create a cgroup with a memory limit here')
    return
  }
  const script = fileURLToPath(new URL('./full-pool.ts', import.meta.url))
  let child: ChildProcess | undefined
  try {
    child = fork(script, { execArgv: process.execArgv })
    group.add(child.pid!)
    // The child reads its limit when it starts the pool, so it must already be in the group.
    child.send('start')
    const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
      throw new Error(`the pool was killed: code ${String(code)}, signal ${String(signal)}`)
    })
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [FullPoolResult]
    ended.catch(() => {})
    metric({ metric: 'full_pool_4gib_executors', value: result.executors, unit: 'executors' })
    metric({ metric: 'full_pool_4gib_succeeded', value: result.succeeded, unit: 'runs' })
    metric({ metric: 'full_pool_4gib_shed', value: result.shed, unit: 'runs' })
    metric({ metric: 'full_pool_4gib_failed', value: result.failed, unit: 'runs' })
    metric({
      metric: 'full_pool_4gib_peak_mib',
      value: group.peakBytes() / 2 ** 20,
      unit: 'MiB',
      baseline: LIMIT_BYTES / 2 ** 20,
      ratio: group.peakBytes() / LIMIT_BYTES,
    })
    metric({ metric: 'full_pool_4gib_oom_kills', value: group.kills(), unit: 'processes' })
  } finally {
    child?.kill('SIGKILL')
    await group.remove()
  }
}

type Group = {
  add(pid: number): void
  peakBytes(): number
  kills(): number
  remove(): Promise<void>
}

/** Creates a cgroup below that of this process. */
function createGroup(): Group | undefined {
  const own = readFileSync('/proc/self/cgroup', 'utf8')
  const v1 = /^\d+:memory:(.*)$/m.exec(own)?.[1]
  const v2 = /^0::(.*)$/m.exec(own)?.[1]
  const parent = v1 === undefined ? `/sys/fs/cgroup${v2}` : `/sys/fs/cgroup/memory${v1}`
  const names =
    v1 === undefined
      ? { max: 'memory.max', peak: 'memory.peak', kills: 'memory.events' }
      : {
          max: 'memory.limit_in_bytes',
          peak: 'memory.max_usage_in_bytes',
          kills: 'memory.oom_control',
        }
  const path = `${parent}/svc-bench-${process.pid}`
  try {
    mkdirSync(path)
    writeFileSync(`${path}/${names.max}`, String(LIMIT_BYTES))
  } catch {
    if (existsSync(path)) rmdirSync(path)
    return undefined
  }
  const read = (name: string) => readFileSync(`${path}/${name}`, 'utf8')
  return {
    add: (pid) => writeFileSync(`${path}/cgroup.procs`, String(pid)),
    peakBytes: () => Number(read(names.peak)),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read(names.kills))?.[1] ?? 0),
    remove: async () => {
      // The group can be removed when the last process in it has ended.
      for (let tries = 0; tries < 100; tries++) {
        try {
          rmdirSync(path)
          return
        } catch {
          await sleep(100)
        }
      }
    },
  }
}
