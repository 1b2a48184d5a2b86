/** Time until a stack of `npm start`, or an origin alone, is ready. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { anyPorts } from '../../system/stack.ts'
import { startLoneOrigin } from '../lone-origin.ts'
import { median, report } from '../report.ts'
import type { DurablePostgres } from '../durable-postgres.ts'

const STARTS = 3
const ENTRY = fileURLToPath(new URL('../../../origin/stack/start.ts', import.meta.url))

export async function measureStarts(postgres: DurablePostgres): Promise<void> {
  const [empty, kept]: [number[], number[]] = [[], []]
  for (let start = 0; start < STARTS; start++) {
    const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    try {
      empty.push(await startStackS(stateDir))
      kept.push(await startStackS(stateDir))
    } finally {
      rmSync(stateDir, { recursive: true, force: true })
    }
  }
  const common = { bench: 'throughput', unit: 's' }
  report({ ...common, metric: 'start_empty_s', value: median(empty) })
  report({ ...common, metric: 'start_kept_s', value: median(kept) })

  const { origin, close } = await startLoneOrigin(await postgres.createDatabase('boot'))
  const boots: number[] = []
  try {
    for (let start = 0; start < STARTS; start++) {
      await origin.stop()
      const began = performance.now()
      await origin.start()
      boots.push((performance.now() - began) / 1000)
    }
  } finally {
    await close()
  }
  report({ ...common, metric: 'origin_boot_s', value: median(boots) })
}

/** Starts a stack as `npm start` does, and stops it. @returns seconds from the start to the line "ready in" */
async function startStackS(stateDir: string): Promise<number> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', ENTRY],
    {
      env: { ...process.env, ...anyPorts, SVC_STATE_DIR: stateDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'exit')
  let seconds: number | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('ready in ')) return
    seconds = (performance.now() - began) / 1000
    child.kill('SIGTERM')
  })
  await exited
  if (seconds === undefined) throw new Error('the stack did not start')
  return seconds
}
