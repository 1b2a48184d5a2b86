/** A test database whose `clock_timestamp()` the test sets. */
import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import type { Database } from '../../../origin/db/open.ts'
import { type FreshDatabase, freshDatabase, openFresh } from '../db/fresh-database.ts'

/** The function precedes that of Postgres, because its schema precedes `pg_catalog`. */
const FAKE_CLOCK = `
  create schema fake;
  create table fake.clock (since timestamptz not null, speed float8 not null, ahead interval not null);
  insert into fake.clock values ('epoch', 1, '0');
  create function fake.clock_timestamp() returns timestamptz language sql volatile as
    'select since + (pg_catalog.clock_timestamp() - since) * speed + ahead from fake.clock';
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
export const openWithClock = () => openFresh(databaseWithClock)

/** A clock that had the real time at `since`, and then ran faster, plus a constant. In milliseconds. */
export type FakeClock = { since?: number; speed?: number; aheadMs?: number }

export async function setDatabaseClock(
  { db }: { db: Database },
  { since = 0, speed = 1, aheadMs = 0 }: FakeClock,
): Promise<void> {
  await db.execute(sql`
    update fake.clock set since = ${new Date(since).toISOString()}::timestamptz, speed = ${speed},
      ahead = ${aheadMs} * interval '1 ms'`)
}

/** Stops the clock at a time in Unix milliseconds. */
export async function stopDatabaseClock(database: { db: Database }, at: number): Promise<void> {
  await setDatabaseClock(database, { since: at, speed: 0 })
}
