/** The scanner over a real D1 with many schedules, whose objects are simulated. */
import { drizzle } from 'drizzle-orm/d1'
import * as schema from '../../../../edge/db/schema.ts'
import { scan } from '../../../../edge/schedule/scan.ts'
import { ScannerIndex } from '../../../../edge/schedule/scanner-index.ts'
import { sleep } from '../../../../edge/sleep.ts'

type Env = { DB: D1Database }

/** Size of a trigger's record as JSON, without large params. */
const RECORD_CHARACTERS = 900
const ROWS_PER_INSERT = 500
const MINUTE_MS = 60_000

/** @param found number of scanned schedules that had a tick 5 s ago, and of these, how many reported it */
type Scan = { schedules: number; reported: number }

const idOf = (n: number) => `bench${String(n).padStart(27, '0')}`

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/fill') return Response.json(await fill(env.DB, await request.json()))
    if (pathname === '/scan') return Response.json(await scanOnce(env.DB, await request.json()))
    return new Response('', { status: 404 })
  },
} satisfies ExportedHandler<Env>

async function fill(db: D1Database, { schedules }: { schedules: number }) {
  await db.exec(`INSERT OR IGNORE INTO users VALUES ('owner', 'bench@example.com', 0)`)
  const record = JSON.stringify({ enabled: true, pad: 'x'.repeat(RECORD_CHARACTERS) })
  const now = Date.now()
  for (let n = 0; n < schedules; n += ROWS_PER_INSERT) {
    const ids = Array.from({ length: ROWS_PER_INSERT }, (_, at) => idOf(n + at))
    await db
      .prepare(
        `INSERT INTO triggers (id, owner_id, kind, record, created_at, updated_at, version, look_at, checked_at)
         SELECT value, 'owner', 'schedule', ?1, ?2, ?2, 1, ?2, ?2 FROM json_each(?3)`,
      )
      .bind(record, now, JSON.stringify(ids))
      .run()
  }
  const counted = await db.prepare('SELECT count(*) FROM triggers').run()
  return { bytes: counted.meta.size_after }
}

async function scanOnce(db: D1Database, { schedules, reported }: Scan) {
  const now = Date.now()
  const due = await db
    .prepare('UPDATE triggers SET look_at = ?, checked_at = ?')
    .bind(now - 5_000, now)
    .run()
  const nextTickAt = now + MINUTE_MS
  let visits = 0
  const began = Date.now()
  const counts = await scan({
    rows: new ScannerIndex(drizzle(db, { schema })),
    reports: async () =>
      Array.from({ length: reported }, (_, n) => ({ id: idOf(n), version: 1, nextTickAt })),
    visit: async () => {
      visits++
      await sleep(VISIT_MS)
      return { version: 1, nextTickAt, late: true }
    },
    now: Date.now,
    sleep,
    log: () => {},
  })
  return { ms: Date.now() - began, visits, late: counts.late, schedules, due: due.meta.changes }
}

/** Duration of a call to another object. */
const VISIT_MS = 10
