/** Measures the lateness of scheduled runs: 2,000 runs due over 20 s, on an otherwise idle edge. */
import { scriptSource } from '../doubles/script.ts'
import { benchOwner, startEdge } from './edge.ts'
import { until } from '../system/owner.ts'
import { median, percentile, report } from './report.ts'

const SCHEDULES = 2_000
const OVER_S = 20
/** Several accounts, because one account is limited to fewer triggers. */
const OWNERS = 4
const CREATED_AT_ONCE = 16
/** Schedules created first, a year ahead, to estimate when the others can be due. */
const PACE = 100
/** Safety factor on the estimate. Runs that are due while others are still being created would be late. */
const ROOM = 2
const YEAR_S = 364 * 24 * 3600

const AT_ONCE = scriptSource([
  {
    outcome: {
      status: 'success',
      action_cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG',
      duration_ms: 1,
      logs: [],
      charged_cents: 1,
      response: 'done',
    },
  },
])

export async function schedule(): Promise<void> {
  const edge = await startEdge()
  try {
    const owners = await Promise.all(
      Array.from({ length: OWNERS }, (_, n) => benchOwner(edge.url, `bench-${n}@example.com`)),
    )
    /** @returns milliseconds per schedule */
    const create = async (count: number, first: number): Promise<number> => {
      let next = 0
      const creator = async () => {
        while (next < count) {
          const n = next++
          const cron = cronOf(first + (n % OVER_S))
          const body = { kind: 'schedule', action_code: AT_ONCE, config: { cron } }
          await owners[n % OWNERS]!.create(body)
        }
      }
      const began = performance.now()
      await Promise.all(Array.from({ length: CREATED_AT_ONCE }, creator))
      return (performance.now() - began) / count
    }
    const pace = await create(PACE, Math.ceil(Date.now() / 1000) + YEAR_S)
    const first = Math.ceil((Date.now() + ROOM * SCHEDULES * pace) / 1000)
    const createdMs = await create(SCHEDULES, first)
    if (Date.now() / 1000 > first) throw new Error('creating the schedules took too long')
    await new Promise((due) => setTimeout(due, (first + OVER_S) * 1000 - Date.now()))
    const { seen } = edge.origin
    await until(60, 'all are started', async () => (seen.length >= SCHEDULES ? true : undefined))
    const lateness = seen.map(({ at, params }) => {
      const { scheduled_at } = params as { scheduled_at: string }
      return at - Date.parse(scheduled_at)
    })
    const metric = { bench: 'schedule', unit: 'ms' }
    report({ ...metric, metric: 'lateness_p50_ms', value: median(lateness) })
    report({ ...metric, metric: 'lateness_p99_ms', value: percentile(lateness, 0.99) })
    report({ ...metric, metric: 'create_schedule_ms', value: createdMs })
  } finally {
    await edge.close()
  }
}

/** Cron expression that matches this second once a year. */
function cronOf(unixSeconds: number): string {
  const at = new Date(unixSeconds * 1000)
  const [second, minute, hour] = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()]
  return `${second} ${minute} ${hour} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
}
