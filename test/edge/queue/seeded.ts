import { runInDurableObject } from 'cloudflare:test'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { CollectedRuns } from '../../../edge/queue/collected-runs.ts'
import { EventCounts } from '../../../edge/queue/event-counts.ts'
import { EventRules } from '../../../edge/queue/event-rules.ts'
import { RunStore } from '../../../edge/queue/run-store.ts'
import * as schema from '../../../edge/queue/schema.ts'
import { TriggerState } from '../../../edge/queue/trigger-state.ts'
import { CID, queueOf, random, someOwner, unknownTriggerId } from '../app.ts'

/** The storage of a trigger with the objects that read it. `storage` may be wrapped by `watched`. */
export function parts(storage: DurableObjectStorage) {
  const db = drizzle(storage, { schema })
  const state = new TriggerState(storage, db)
  state.load()
  return { db, state, store: new RunStore(storage, db), sql: storage.sql, storage }
}

/** What intake needs to apply the expressions of a trigger's options. */
export function rulesOf(
  { state, store, sql }: Pick<Parts, 'state' | 'store' | 'sql'>,
  now: () => number = Date.now,
) {
  const counts = new EventCounts({ sql, now, armBy: () => {} })
  const collected = new CollectedRuns(sql, () => false)
  return { collected, counts, rules: new EventRules({ state, store, counts }) }
}

export type Parts = ReturnType<typeof parts>

/** Creates a trigger that nothing fires, directly in its Durable Object. @returns its ID */
export async function someTrigger(): Promise<string> {
  const triggerId = await unknownTriggerId()
  const { id: ownerId } = await someOwner()
  await runInDurableObject(queueOf(triggerId), async (instance) => {
    await instance.create({
      triggerId,
      ownerId,
      name: 'seeded',
      kind: 'webhook',
      config: {},
      options: {},
      enabled: false,
      actionCode: 'code',
      actionCid: CID,
      defaultParams: {},
      maxRunsPerMinute: 60,
      maxQueuedRuns: 100,
      sealedUsageKey: random(32),
      version: 1,
    })
  })
  return triggerId
}

export function inObject(id: string, test: (found: Parts) => Promise<void> | void): Promise<void> {
  return runInDurableObject(queueOf(id), async (_, { storage }) => test(parts(storage)))
}

export async function inTrigger(test: (found: Parts) => Promise<void> | void): Promise<void> {
  await inObject(await someTrigger(), test)
}

export type Seeds = {
  count: number
  /** Time at which the first run was queued. */
  queuedAt?: number
  everyMs?: number
  status?: string
  bodyBytes?: number
  resultBytes?: number
  revision?: number
}

/** Inserts runs directly into the tables, because accepting a run through the queue takes 5 ms. */
export function seed(sql: SqlStorage, seeds: Seeds): void {
  const { count, queuedAt = 1_000, everyMs = 1_000, status = 'success', revision = 1 } = seeds
  const { bodyBytes = 2, resultBytes = 60 } = seeds
  const ended = status === 'success' || status === 'failed'
  const first = sql.exec('SELECT coalesce(max(sequence), 0) AS last FROM runs').one().last as number
  const firing = JSON.stringify({ source: 'webhook', receivedAt: 0, headers: {}, query: {} })
  sql.exec(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
     INSERT INTO runs (sequence, suffix, status, revision, queued_at, firing, body, body_bytes, attempt, started_at, finished_at)
     SELECT ?2 + i + 1, 'seeded-' || (?2 + i + 1), ?3, ?4, ?5 + i * ?6, ?7, zeroblob(?8), ?8, 1, ?5 + i * ?6,
       iif(?9, ?5 + i * ?6 + 5, NULL) FROM n`,
    count,
    first,
    status,
    revision,
    queuedAt,
    everyMs,
    firing,
    bodyBytes,
    ended ? 1 : 0,
  )
  if (!ended) return
  const result = JSON.stringify({ response: '', error: null, logs: [], charged_cents: 1 })
  sql.exec(
    `INSERT INTO results SELECT sequence, ? || printf('%*s', ?, '') FROM runs WHERE sequence > ?`,
    result,
    Math.max(0, resultBytes - result.length),
    first,
  )
}

/** Returns the sequences of the remaining runs, oldest first. */
export function left(sql: SqlStorage): number[] {
  const rows = sql.exec<{ sequence: number }>('SELECT sequence FROM runs ORDER BY sequence')
  return rows.toArray().map(({ sequence }) => sequence)
}

/** Wraps storage to count the rows that its statements read and write. */
export function watched(storage: DurableObjectStorage) {
  const cursors: { rowsRead: number; rowsWritten: number }[] = []
  const sql = new Proxy(storage.sql, {
    get: (target, name) => {
      if (name !== 'exec') return Reflect.get(target, name)
      return (...args: Parameters<SqlStorage['exec']>) => {
        const cursor = target.exec(...args)
        cursors.push(cursor)
        return cursor
      }
    },
  })
  const watchedStorage = new Proxy(storage, {
    get(target, name) {
      if (name === 'sql') return sql
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    storage: watchedStorage,
    rowsRead: () => cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
    rowsWritten: () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
  }
}
