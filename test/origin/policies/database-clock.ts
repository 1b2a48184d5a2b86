/** A test database whose `clock_timestamp()` the test sets. */
import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { type Database, type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'

/** The function precedes that of Postgres, because its schema precedes `pg_catalog`. */
const FAKE_CLOCK = `
  create schema fake;
  create table fake.clock (fixed_at timestamptz, ahead interval not null);
  insert into fake.clock values (null, '0');
  create function fake.clock_timestamp() returns timestamptz language sql volatile as
    'select coalesce(fixed_at, pg_catalog.clock_timestamp() + ahead) from fake.clock';
  do $$ begin
    execute format('alter database %I set search_path = fake, pg_catalog, public', current_database());
  end $$`

export async function databaseWithClock(): Promise<FreshDatabase> {
  const fresh = await freshDatabase()
  const client = new Client({ connectionString: fresh.url })
  await client.connect()
  await client.query(FAKE_CLOCK)
  await client.end()
  return fresh
}

/** Opens such a database. `close` drops it. */
export async function openWithClock(): Promise<OpenDatabase & { url: string }> {
  const { url, drop } = await databaseWithClock()
  const database = await openDatabase({ url })
  return {
    ...database,
    url,
    close: async () => {
      await database.close()
      await drop()
    },
  }
}

/** @param clock stopped at a time in Unix milliseconds, or ahead of the real clock */
export async function setDatabaseClock(
  { db }: { db: Database },
  clock: { at: number } | { aheadMs: number },
): Promise<void> {
  const at = 'at' in clock ? new Date(clock.at).toISOString() : null
  const aheadMs = 'at' in clock ? 0 : clock.aheadMs
  await db.execute(
    sql`update fake.clock set fixed_at = ${at}::timestamptz, ahead = ${aheadMs} * interval '1 ms'`,
  )
}
