/** The index of triggers in D1, for `GET /api/triggers`. Each trigger's object writes its own row. */
import { and, count, desc, eq, sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { LISTED_PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import type { ListedTrigger, TriggerKind, TriggerRecord } from '../../shared/wire/trigger.ts'
import * as schema from '../db/schema.ts'
import { nextTick } from '../schedule/cron.ts'

export type IndexDatabase = DrizzleD1Database<typeof schema>
const { triggers } = schema

/** Writes a trigger's row, unless it already has a later version. */
export async function putIndexRow(
  db: IndexDatabase,
  ownerId: string,
  record: TriggerRecord,
  version: number,
): Promise<void> {
  const row = {
    ownerId,
    kind: record.kind,
    record: JSON.stringify(listed(record)),
    createdAt: Date.parse(record.created_at),
    updatedAt: Date.parse(record.updated_at),
    version,
    lookAt: record.next_run_at ? Date.parse(record.next_run_at) : null,
  }
  await db
    .insert(triggers)
    // A row that its object has just written needs no comparison with it.
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

/** A position in a list: after the trigger with this time and ID. */
export type ListPlace = { createdAt: number; id: string }
export type ListFilter = { kind?: TriggerKind | undefined; enabled?: boolean | undefined }
export type ListQuery = ListFilter & {
  /** All triggers if absent. */
  limit?: number | undefined
  after?: ListPlace | undefined
}
export type TriggerList = {
  triggers: ListedTrigger[]
  /** The number of triggers that match the filters, on all pages. */
  total: number
  /** The start of the next page; absent on the last page. */
  next?: ListPlace
}

/**
 * Returns an owner's triggers, newest first.
 * @param now Unix milliseconds; a next run in the past is recomputed
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
  const behind =
    after && sql`(${triggers.createdAt}, ${triggers.id}) < (${after.createdAt}, ${after.id})`
  const page = db
    .select({ id: triggers.id, createdAt: triggers.createdAt, record: triggers.record })
    .from(triggers)
    .where(and(matching, behind))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
    // One row more than shown, to detect whether there is a next page.
    .limit(limit === undefined ? -1 : limit + 1)
  const all = db.select({ total: count() }).from(triggers).where(matching)
  const [rows, [counted]] = await db.batch([page, all])
  const shown = limit === undefined ? rows : rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    triggers: shown.map((row) => asOf(now, JSON.parse(row.record) as ListedTrigger)),
    total: counted!.total,
    ...(last && rows.length > shown.length
      ? { next: { createdAt: last.createdAt, id: last.id } }
      : {}),
  }
}

/** Recomputes the next run: the row is as old as the trigger's last change, and ticks have passed since. */
function asOf(now: number, trigger: ListedTrigger): ListedTrigger {
  const { next_run_at, config } = trigger
  if (!next_run_at || Date.parse(next_run_at) > now) return trigger
  const next = nextTick(String(config.cron), now)
  return { ...trigger, next_run_at: next === undefined ? null : new Date(next).toISOString() }
}

export async function countTriggers(db: IndexDatabase, ownerId: string): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(triggers)
    .where(eq(triggers.ownerId, ownerId))
  return row!.total
}

/**
 * Returns the fields of a record that lists show: without the source, large params, and state that only the object has.
 */
function listed(record: TriggerRecord): ListedTrigger {
  const {
    action_code: _source,
    waiting_for: _now,
    stats: _alsoNow,
    backfill: _too,
    ...rest
  } = record
  const params = new TextEncoder().encode(JSON.stringify(rest.default_params)).length
  return params <= LISTED_PARAMS_MAX_BYTES
    ? rest
    : { ...rest, default_params: null, default_params_omitted: true }
}
