import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { PAYERS_DEFAULT } from '../../../shared/limits.ts'
import { startOrigins } from '../../system/origins.ts'
import { report } from '../report.ts'

const SETTLE_MS = 20_000
const MEASURED_MS = 60_000

/** Counts what an origin process without requests does in the database. */
export async function measureIdleProcess(): Promise<void> {
  const { db, close } = await startOrigins(1, {
    settings: { SVC_PAYERS: String(PAYERS_DEFAULT) },
  })
  try {
    await sleep(SETTLE_MS)
    const first = async <Row>(query: ReturnType<typeof sql>) =>
      ((await db.execute(query)) as { rows: Row[] }).rows[0]!
    const changes = async () => {
      const { rows } = await first<{ rows: string }>(
        sql`select sum(n_tup_ins + n_tup_upd + n_tup_del) as rows from pg_stat_user_tables`,
      )
      return Number(rows)
    }
    const before = await changes()
    await sleep(MEASURED_MS)
    const value = (await changes()) - before
    const rate = { bench: 'scale', unit: 'rows/s' }
    report({ ...rate, metric: 'idle_process_rows_per_s', value: value / (MEASURED_MS / 1_000) })
    const { connections } = await first<{ connections: string }>(
      sql`select count(*) as connections from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
    )
    report({
      bench: 'scale',
      metric: 'idle_process_connections',
      value: Number(connections),
      unit: 'connections',
    })
  } finally {
    await close()
  }
}
