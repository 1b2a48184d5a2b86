import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../origin/stack/ports.ts'
import { runner } from '../edge.ts'
import { type Metric, report } from '../report.ts'

const SCHEDULES = 100_000
/** Schedules whose alarm is lost. */
const LATE = 100

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'scale', ...values })

export async function measureScanner(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const worker = runner('scale', folder, port, {
    EDGE_BINDINGS: '{}',
    EDGE_CONFIG: fileURLToPath(new URL('./worker/wrangler.toml', import.meta.url)),
  })
  try {
    await worker.waitForReady()
    const call = async <Answer>(path: string, body: object): Promise<Answer> => {
      const url = `http://localhost:${port}/${path}`
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Answer
    }
    const { bytes } = await call<{ bytes: number }>('fill', { schedules: SCHEDULES })
    metric({ metric: 'index_bytes_per_trigger', value: bytes / SCHEDULES, unit: 'bytes' })
    const scan = (reported: number) =>
      call<{ ms: number; visits: number }>('scan', { schedules: SCHEDULES, reported })
    const reporting = await scan(SCHEDULES - LATE)
    // The baseline has no reports, so the scanner visits every schedule that ticked, until its time is up.
    const silent = await scan(0)
    metric({
      metric: 'scan_visits_100k_schedules',
      value: reporting.visits,
      unit: 'visits',
      baseline: silent.visits,
      ratio: reporting.visits / silent.visits,
    })
    metric({
      metric: 'scan_100k_schedules_s',
      value: reporting.ms / 1_000,
      unit: 's',
      baseline: silent.ms / 1_000,
      ratio: reporting.ms / silent.ms,
    })
  } finally {
    await worker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
