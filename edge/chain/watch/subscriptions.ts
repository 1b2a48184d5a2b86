import { HOUR_MS } from '../../../shared/durations.ts'
import type { Finality } from '../finality.ts'
import type { AddressList } from '../matching/address-list.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import { listRouteKey, routeKey } from '../matching/log-matching.ts'
import type { CursorKind, Subscription } from '../subscription.ts'
import { DeliveryCursor } from './delivery-cursor.ts'

/**
 * Subscription of one trigger. A new generation is a new object, so that code with a reference to the old object can
 * detect the change.
 */
export type ActiveSubscription = {
  readonly triggerId: string
  readonly generation: number
  readonly filter: LogFilter
  readonly route: string
  version: number
  finality: Finality
  watermarkKey: string
  since: number
  coveredFrom: number | undefined
  /** Undefined if the subscription is caught up. */
  live: DeliveryCursor | undefined
  backfill: DeliveryCursor | undefined
}

type SubscriptionRow = {
  trigger_id: string
  version: number
  generation: number
  filter: string
  finality: string
  since: number
  covered_from: number | null
}
type AddressRow = { trigger_id: string; addresses: ArrayBuffer }
type LaneRow = {
  trigger_id: string
  lane: CursorKind
  next_block: number
  next_log_index: number
  from_block: number | null
  to_block: number | null
}

/** Time for which ended subscriptions are retained. No call is delayed for longer than this time. */
const ENDED_KEPT_MS = HOUR_MS

export function toWatermarkKey(finality: Finality): string {
  return JSON.stringify(finality)
}

/** All subscriptions of a chain, in memory and in storage. Methods that write must be called in a transaction. */
export class Subscriptions {
  readonly #sql: SqlStorage
  readonly #all = new Map<string, ActiveSubscription>()
  readonly #byRoute = new Map<string, Set<ActiveSubscription>>()
  #filtersVersion = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  /** Loads the subscriptions from storage, at startup and after a failed transaction. */
  load(): void {
    const sql = this.#sql
    this.#all.clear()
    this.#byRoute.clear()
    const lists = new Map(
      sql
        .exec<AddressRow>('SELECT * FROM address_lists')
        .toArray()
        .map(({ trigger_id, addresses }) => [trigger_id, new Uint8Array(addresses)]),
    )
    const rows = sql.exec<SubscriptionRow>('SELECT * FROM subscriptions WHERE ended_at IS NULL')
    for (const row of rows) this.#add(parseSubscription(row, lists.get(row.trigger_id)))
    for (const row of sql.exec<LaneRow>('SELECT * FROM lanes')) {
      const watched = this.#all.get(row.trigger_id)
      if (watched) watched[row.lane] = parseCursor(row)
    }
  }

  get size(): number {
    return this.#all.size
  }

  /** Version of the set of filters. When the version changes, the queries that merge the filters must be rebuilt. */
  get filtersVersion(): number {
    return this.#filtersVersion
  }

  all(): IterableIterator<ActiveSubscription> {
    return this.#all.values()
  }

  get(triggerId: string): ActiveSubscription | undefined {
    return this.#all.get(triggerId)
  }

  isCurrent(watched: ActiveSubscription): boolean {
    return this.#all.get(watched.triggerId) === watched
  }

  ofRoute(route: string): Iterable<ActiveSubscription> {
    return this.#byRoute.get(route) ?? []
  }

  /** Returns the subscriptions that may match logs of a route, including those with lists of addresses. */
  *watching(route: string): Generator<ActiveSubscription> {
    yield* this.ofRoute(route)
    yield* this.ofRoute(listRouteKey(route))
  }

  /** Returns the last known version of a trigger, even if its subscription has ended. */
  versionOf(triggerId: string): number | undefined {
    return this.#sql
      .exec<{ version: number }>(
        'SELECT version FROM subscriptions WHERE trigger_id = ?',
        triggerId,
      )
      .toArray()[0]?.version
  }

  /** Starts a subscription, or a new generation of an existing one. Deletes the old cursors. */
  start(subscription: Subscription, coveredFrom: number | undefined): ActiveSubscription {
    const { triggerId, version, generation, finality, since, backfill } = subscription
    const { addresses, ...filter } = subscription.filter
    this.#drop(triggerId)
    for (const table of ['lanes', 'address_lists'])
      this.#sql.exec(`DELETE FROM ${table} WHERE trigger_id = ?`, triggerId)
    const inserted = this.#sql.exec<SubscriptionRow>(
      `INSERT OR REPLACE INTO subscriptions (trigger_id, version, generation, filter, finality, since, covered_from)
       VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      triggerId,
      version,
      generation,
      JSON.stringify(filter),
      toWatermarkKey(finality),
      since,
      coveredFrom ?? null,
    )
    const watched = parseSubscription(inserted.one(), addresses)
    if (addresses)
      this.#sql.exec(
        'INSERT INTO address_lists (trigger_id, addresses) VALUES (?, ?)',
        triggerId,
        addresses,
      )
    this.#add(watched)
    if (backfill && backfill.from <= backfill.to) {
      watched.backfill = new DeliveryCursor(
        'backfill',
        { block: backfill.from, logIndex: 0 },
        backfill,
      )
      this.putCursor(watched, watched.backfill)
    }
    return watched
  }

  update(watched: ActiveSubscription, version: number, finality: Finality): void {
    watched.version = version
    watched.finality = finality
    watched.watermarkKey = toWatermarkKey(finality)
    this.#sql.exec(
      'UPDATE subscriptions SET version = ?, finality = ? WHERE trigger_id = ?',
      version,
      watched.watermarkKey,
      watched.triggerId,
    )
  }

  end(triggerId: string, version: number, now: number): void {
    this.#drop(triggerId)
    for (const table of ['lanes', 'address_lists'])
      this.#sql.exec(`DELETE FROM ${table} WHERE trigger_id = ?`, triggerId)
    this.#sql.exec(
      `INSERT INTO subscriptions (trigger_id, version, generation, filter, finality, since, ended_at)
       VALUES (?1, ?2, 0, '', '', 0, ?3) ON CONFLICT (trigger_id) DO UPDATE SET version = ?2, ended_at = ?3`,
      triggerId,
      version,
      now,
    )
    this.#sql.exec('DELETE FROM subscriptions WHERE ended_at < ?', now - ENDED_KEPT_MS)
  }

  putCursor(watched: ActiveSubscription, cursor: DeliveryCursor): void {
    const { kind, next, range } = cursor
    this.#sql.exec(
      `INSERT OR REPLACE INTO lanes (trigger_id, lane, next_block, next_log_index, from_block, to_block)
       VALUES (?, ?, ?, ?, ?, ?)`,
      watched.triggerId,
      kind,
      next.block,
      next.logIndex,
      range?.from ?? null,
      range?.to ?? null,
    )
  }

  markCaughtUp(watched: ActiveSubscription): void {
    watched.live = undefined
    this.#deleteCursor(watched, 'live')
  }

  /**
   * Ends a backfill. The live cursor takes over the blocks of the completed backfill, and delivers their logs again
   * after a reorganization. There may be a gap between the two cursors, because the trigger was disabled in the
   * meantime. In that case, the backfill cursor remains stored but inactive while its blocks can still be reorganized.
   * @param settled latest block that can no longer be reorganized
   */
  endBackfill(watched: ActiveSubscription, settled: number): void {
    const cursor = watched.backfill
    if (!cursor?.range) return
    const { from, to } = cursor.range
    const isNextToLive = to + 1 >= watched.since
    if (!isNextToLive && to > settled) {
      cursor.isComplete = true
      return
    }
    watched.backfill = undefined
    this.#deleteCursor(watched, 'backfill')
    if (isNextToLive) this.setSince(watched, Math.min(watched.since, from))
  }

  setSince(watched: ActiveSubscription, since: number): void {
    watched.since = since
    this.#sql.exec(
      'UPDATE subscriptions SET since = ? WHERE trigger_id = ?',
      since,
      watched.triggerId,
    )
  }

  setCoveredFrom(watched: ActiveSubscription, block: number): void {
    watched.coveredFrom = block
    this.#sql.exec(
      'UPDATE subscriptions SET covered_from = ? WHERE trigger_id = ?',
      block,
      watched.triggerId,
    )
  }

  #add(watched: ActiveSubscription): void {
    this.#filtersVersion++
    this.#all.set(watched.triggerId, watched)
    const same = this.#byRoute.get(watched.route)
    if (same) same.add(watched)
    else this.#byRoute.set(watched.route, new Set([watched]))
  }

  #drop(triggerId: string): void {
    const watched = this.#all.get(triggerId)
    if (!watched) return
    this.#filtersVersion++
    this.#all.delete(triggerId)
    const same = this.#byRoute.get(watched.route)
    same?.delete(watched)
    if (same?.size === 0) this.#byRoute.delete(watched.route)
  }

  #deleteCursor({ triggerId }: ActiveSubscription, kind: CursorKind): void {
    this.#sql.exec('DELETE FROM lanes WHERE trigger_id = ? AND lane = ?', triggerId, kind)
  }
}

function parseSubscription(row: SubscriptionRow, addresses?: AddressList): ActiveSubscription {
  const filter: LogFilter = {
    ...(JSON.parse(row.filter) as LogFilter),
    ...(addresses && { addresses }),
  }
  return {
    triggerId: row.trigger_id,
    version: row.version,
    generation: row.generation,
    filter,
    route: routeKey(filter),
    finality: JSON.parse(row.finality) as Finality,
    watermarkKey: row.finality,
    since: row.since,
    coveredFrom: row.covered_from ?? undefined,
    live: undefined,
    backfill: undefined,
  }
}

function parseCursor({ lane, next_block, next_log_index, from_block, to_block }: LaneRow) {
  const range = from_block === null || to_block === null ? null : { from: from_block, to: to_block }
  return new DeliveryCursor(lane, { block: next_block, logIndex: next_log_index }, range)
}
