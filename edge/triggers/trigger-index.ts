/** Index of all triggers in D1, for `GET /api/triggers`. Each trigger's Durable Object writes its own row. */
import { and, count, desc, eq, sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { CHAIN_EVENT_ADDRESSES_MAX, LISTED_PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { ListedTrigger, TriggerKind, TriggerRecord } from '../../shared/wire/trigger.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import * as schema from '../db/schema.ts'
import { reasonWithoutTicks, scheduleOf } from '../schedule/schedule.ts'
import { scheduleConfig } from '../schedule/schedule-config.ts'

export type IndexDatabase = DrizzleD1Database<typeof schema>
const { triggers, users } = schema

/**
 * Inserts or updates a trigger's index row, unless the index already has a newer version. If the owner's row was lost
 * too, restores it.
 */
export async function putIndexRow(
  db: IndexDatabase,
  ownerId: string,
  record: TriggerRecord,
  version: number,
): Promise<void> {
  try {
    await writeIndexRow(db, ownerId, record, version)
  } catch (error) {
    if (!rootCauseText(error).includes('FOREIGN KEY')) throw error
    await restoreOwner(db, ownerId, Date.parse(record.created_at))
    await writeIndexRow(db, ownerId, record, version)
  }
}

/** The object does not know the owner's address. `findOrCreateUser` adds it when the owner signs in again. */
async function restoreOwner(db: IndexDatabase, id: string, createdAt: number): Promise<void> {
  await db.insert(users).values({ id, email: id, createdAt }).onConflictDoNothing()
}

async function writeIndexRow(
  db: IndexDatabase,
  ownerId: string,
  record: TriggerRecord,
  version: number,
): Promise<void> {
  const row = {
    ownerId,
    kind: record.kind,
    record: JSON.stringify(toListedTrigger(record)),
    createdAt: Date.parse(record.created_at),
    updatedAt: Date.parse(record.updated_at),
    version,
    lookAt: record.next_run_at ? Date.parse(record.next_run_at) : null,
  }
  await db
    .insert(triggers)
    // The trigger's Durable Object has just written this row, so the scanner does not need to compare the two yet.
    .values({ id: record.id, ...row, checkedAt: row.updatedAt })
    .onConflictDoUpdate({
      target: triggers.id,
      set: row,
      setWhere: sql`${triggers.version} <= ${version}`,
    })
}

export async function dropIndexRow(db: IndexDatabase, ownerId: string, id: string): Promise<void> {
  await db.delete(triggers).where(and(eq(triggers.id, id), eq(triggers.ownerId, ownerId)))
}

/** Position of the last trigger on a page. The next page starts after it. */
export type ListCursor = { createdAt: number; id: string }
type ListFilter = { kind?: TriggerKind | undefined; enabled?: boolean | undefined }
type ListQuery = ListFilter & {
  /** If absent, all triggers are returned. */
  limit?: number | undefined
  after?: ListCursor | undefined
}
export type TriggerList = {
  triggers: ListedTrigger[]
  /** Number of triggers that match the filters, across all pages. */
  total: number
  /** Absent on the last page. */
  next?: ListCursor
}

/**
 * Lists an owner's triggers, newest first. Recomputes next run times that are in the past.
 * @param now Unix milliseconds
 */
export async function listTriggers(
  db: IndexDatabase,
  now: number,
  ownerId: string,
  { limit, after, ...filter }: ListQuery = {},
): Promise<TriggerList> {
  const matching = and(
    eq(triggers.ownerId, ownerId),
    filter.kind && eq(triggers.kind, filter.kind),
    filter.enabled === undefined
      ? undefined
      : sql`${triggers.record} ->> '$.enabled' = ${filter.enabled ? 1 : 0}`,
  )
  const afterCursor =
    after && sql`(${triggers.createdAt}, ${triggers.id}) < (${after.createdAt}, ${after.id})`
  const page = db
    .select({ id: triggers.id, createdAt: triggers.createdAt, record: triggers.record })
    .from(triggers)
    .where(and(matching, afterCursor))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
    // Fetches one row more than the page size, to detect whether there is a next page.
    .limit(limit === undefined ? -1 : limit + 1)
  const all = db.select({ total: count() }).from(triggers).where(matching)
  const [rows, [counted]] = await db.batch([page, all])
  const shown = limit === undefined ? rows : rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    triggers: shown.map((row) => withCurrentNextRun(now, JSON.parse(row.record) as ListedTrigger)),
    total: counted!.total,
    ...(last && rows.length > shown.length
      ? { next: { createdAt: last.createdAt, id: last.id } }
      : {}),
  }
}

export type IndexedTrigger = {
  id: string
  name: string
  enabled: boolean
  maxRunsPerMinute: number
}

/** Returns those of the triggers that belong to the owner. */
export async function findTriggers(
  db: IndexDatabase,
  ownerId: string,
  ids: readonly string[],
): Promise<IndexedTrigger[]> {
  const rows = await db
    .select({ id: triggers.id, record: triggers.record })
    .from(triggers)
    .where(
      and(
        eq(triggers.ownerId, ownerId),
        sql`${triggers.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    )
  return rows.map(({ id, record }) => {
    const { name, enabled, max_runs_per_minute } = JSON.parse(record) as ListedTrigger
    return { id, name, enabled, maxRunsPerMinute: max_runs_per_minute }
  })
}

/** Returns the IDs, names and kinds of the latest triggers of the owner, newest first. */
export async function latestTriggers(
  db: IndexDatabase,
  ownerId: string,
  limit: number,
): Promise<{ id: string; name: string; kind: TriggerKind }[]> {
  return db
    .select({
      id: triggers.id,
      name: sql<string>`${triggers.record} ->> '$.name'`,
      kind: triggers.kind,
    })
    .from(triggers)
    .where(eq(triggers.ownerId, ownerId))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
    .limit(limit)
}

export type NamedTrigger = { id: string; name: string }

/** Returns the IDs and names of the owner's newest triggers. */
export async function newestTriggers(
  db: IndexDatabase,
  ownerId: string,
  limit: number,
): Promise<NamedTrigger[]> {
  return db
    .select({ id: triggers.id, name: sql<string>`${triggers.record} ->> '$.name'` })
    .from(triggers)
    .where(eq(triggers.ownerId, ownerId))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
    .limit(limit)
}

/** Returns the IDs and names of all enabled triggers of the owner, oldest first. */
export async function enabledTriggers(
  db: IndexDatabase,
  ownerId: string,
): Promise<{ id: string; name: string }[]> {
  return db
    .select({ id: triggers.id, name: sql<string>`${triggers.record} ->> '$.name'` })
    .from(triggers)
    .where(and(eq(triggers.ownerId, ownerId), sql`${triggers.record} ->> '$.enabled' = 1`))
    .orderBy(triggers.createdAt, triggers.id)
}

/**
 * Recomputes a schedule's next run time if it is in the past. The index row was written at the trigger's last change,
 * and the schedule may have fired since then.
 */
function withCurrentNextRun(now: number, trigger: ListedTrigger): ListedTrigger {
  const { next_run_at, id } = trigger
  if (!next_run_at || Date.parse(next_run_at) > now) return trigger
  const config = scheduleConfig(trigger.config)
  const next = scheduleOf(config, id).ticks.next(now)
  if (next === undefined)
    return { ...trigger, next_run_at: null, ended_reason: reasonWithoutTicks(config) }
  return { ...trigger, next_run_at: new Date(next).toISOString() }
}

/** Number of the owner's triggers, and size of the whole database, which D1 reports with each query. */
export async function indexUsage(
  db: IndexDatabase,
  ownerId: string,
): Promise<{ triggers: number; databaseBytes: number }> {
  const { results, meta } = await db.run(
    sql`SELECT count(*) AS total FROM ${triggers} WHERE ${triggers.ownerId} = ${ownerId}`,
  )
  const [row] = results as { total: number }[]
  return { triggers: row!.total, databaseBytes: meta.size_after }
}

/** Number of addresses of the owner's chain events, except those of one trigger. */
export async function indexAddresses(
  db: IndexDatabase,
  ownerId: string,
  exceptId: string,
): Promise<number> {
  const { results } = await db.run(
    sql`SELECT coalesce(sum(CASE WHEN ${triggers.record} ->> '$.config.factory' IS NULL
          THEN ${triggers.record} ->> '$.addresses_count' ELSE ${CHAIN_EVENT_ADDRESSES_MAX} END), 0) AS total FROM ${triggers}
        WHERE ${triggers.ownerId} = ${ownerId} AND ${triggers.id} <> ${exceptId}`,
  )
  return (results as { total: number }[])[0]!.total
}

/** Omits the source code, lists of addresses, large params, and state that is stored only in the trigger's Durable Object. */
function toListedTrigger(record: TriggerRecord): ListedTrigger {
  const {
    action_code: _source,
    waiting_for: _now,
    stats: _alsoNow,
    backfill: _too,
    factory_contracts: _contracts,
    config: { addresses: _list, ...config },
    ...others
  } = record
  const rest = { ...others, config }
  const params = new TextEncoder().encode(JSON.stringify(rest.default_params)).length
  return params <= LISTED_PARAMS_MAX_BYTES
    ? rest
    : { ...rest, default_params: null, default_params_omitted: true }
}
