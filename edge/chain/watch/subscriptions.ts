import { HOUR_MS } from '../../../shared/durations.ts'
import { CHAIN_EVENT_ADDRESSES_MAX } from '../../../shared/limits.ts'
import type { ChainLog } from '../chain-log.ts'
import { createdContracts } from '../factory/created-contracts.ts'
import { type LearnedContract, LearnedContracts } from '../factory/learned-contracts.ts'
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
  /** First block whose contracts are learned. Undefined if the filter has no factory. */
  learnFrom: number | undefined
  /** Set while contracts of the factory have to be learned. Nothing is searched or delivered meanwhile. */
  learningAt: number | undefined
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
  learn_from: number | null
  learning_at: number | null
}
type LearnedRow = { trigger_id: string; address: string; block_number: number; log_index: number }
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

/** Value of `coveredFrom` while contracts have to be learned. */
const NOT_COVERED = Number.MAX_SAFE_INTEGER

const TABLES_OF_TRIGGER = ['lanes', 'address_lists', 'learned_contracts']

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
    for (const [triggerId, rowsOf] of Map.groupBy(
      sql.exec<LearnedRow>('SELECT * FROM learned_contracts'),
      (row) => row.trigger_id,
    ))
      this.#all.get(triggerId)?.filter.learned?.add(
        rowsOf.map(({ address, block_number: block, log_index: logIndex }) => ({
          address,
          at: { block, logIndex },
        })),
      )
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
    const { addresses, learned: _, ...filter } = subscription.filter
    const learnFrom = filter.factory ? (subscription.learnFrom ?? since) : null
    this.#drop(triggerId)
    for (const table of TABLES_OF_TRIGGER)
      this.#sql.exec(`DELETE FROM ${table} WHERE trigger_id = ?`, triggerId)
    const inserted = this.#sql.exec<SubscriptionRow>(
      `INSERT OR REPLACE INTO subscriptions (trigger_id, version, generation, filter, finality, since, covered_from, learn_from, learning_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING *`,
      triggerId,
      version,
      generation,
      JSON.stringify(filter),
      toWatermarkKey(finality),
      since,
      learnFrom === null ? (coveredFrom ?? null) : NOT_COVERED,
      learnFrom,
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
    for (const table of TABLES_OF_TRIGGER)
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

  /** Has no effect while contracts have to be learned. */
  setCoveredFrom(watched: ActiveSubscription, block: number): void {
    if (watched.learningAt !== undefined) return
    watched.coveredFrom = block
    this.#sql.exec(
      'UPDATE subscriptions SET covered_from = ? WHERE trigger_id = ?',
      block,
      watched.triggerId,
    )
  }

  /** Stops searching for the logs of a factory's contracts until those created from a block on are known. */
  startLearning(watched: ActiveSubscription, block: number): void {
    if (watched.learningAt === undefined) this.#filtersVersion++
    watched.learningAt = block
    watched.coveredFrom = NOT_COVERED
    this.#sql.exec(
      'UPDATE subscriptions SET learning_at = ?, covered_from = ? WHERE trigger_id = ?',
      block,
      NOT_COVERED,
      watched.triggerId,
    )
  }

  /** Searches for the logs of all learned contracts from now on. */
  endLearning(watched: ActiveSubscription, coveredFrom: number): void {
    this.#filtersVersion++
    watched.learningAt = undefined
    watched.coveredFrom = coveredFrom
    this.#sql.exec(
      'UPDATE subscriptions SET learning_at = NULL, covered_from = ? WHERE trigger_id = ?',
      coveredFrom,
      watched.triggerId,
    )
  }

  /** Learns the contracts of searched blocks for all subscriptions that are not still learning earlier ones. */
  learnCreated(logs: readonly ChainLog[]): void {
    if (logs.length === 0) return
    const created = new Map<string, LearnedContract[]>()
    for (const watched of this.#all.values()) {
      const { factory } = watched.filter
      if (!factory || watched.learningAt !== undefined) continue
      // Many triggers may have the same factory.
      const key = JSON.stringify(factory)
      const contracts = created.get(key) ?? createdContracts(factory, logs)
      created.set(key, contracts)
      this.#learn(watched, contracts)
    }
  }

  /** Learns the contracts that creation logs name. Ignores logs of other factories. */
  learn(watched: ActiveSubscription, logs: readonly ChainLog[]): void {
    const { factory } = watched.filter
    if (factory) this.#learn(watched, createdContracts(factory, logs))
  }

  /** One contract above the limit is stored, so that `isFactoryFull` stays true. */
  #learn(watched: ActiveSubscription, contracts: readonly LearnedContract[]): void {
    const { triggerId, learnFrom } = watched
    const learned = watched.filter.learned!
    const fresh = new Map<string, LearnedContract>()
    for (const contract of contracts) {
      if (learned.size + fresh.size > CHAIN_EVENT_ADDRESSES_MAX) break
      const { address, at } = contract
      if (at.block >= learnFrom! && !learned.has(address) && !fresh.has(address))
        fresh.set(address, contract)
    }
    if (fresh.size === 0) return
    this.#filtersVersion++
    learned.add([...fresh.values()])
    for (const { address, at } of fresh.values())
      this.#sql.exec(
        'INSERT INTO learned_contracts (trigger_id, address, block_number, log_index) VALUES (?, ?, ?, ?)',
        triggerId,
        address,
        at.block,
        at.logIndex,
      )
  }

  /**
   * Forgets contracts that were created above a block, because these blocks were replaced.
   * @param through last block that was searched
   */
  forgetAbove(block: number, through: number): void {
    const forgotten = new Set(
      this.#sql
        .exec<{ trigger_id: string }>(
          'DELETE FROM learned_contracts WHERE block_number > ? RETURNING trigger_id',
          block,
        )
        .toArray()
        .map(({ trigger_id }) => trigger_id),
    )
    for (const triggerId of forgotten) this.#all.get(triggerId)?.filter.learned?.forgetAbove(block)
    if (forgotten.size > 0) this.#filtersVersion++
    for (const watched of this.#all.values()) {
      const { learnFrom, learningAt } = watched
      if (learningAt !== undefined && learningAt > block && learningAt <= through)
        this.startLearning(watched, Math.max(block + 1, learnFrom!))
    }
  }

  /**
   * Forgets all contracts, because the endpoints serve a different chain, and learns those of the new chain.
   * @param learnFrom first block whose contracts are learned
   */
  learnAgain(watched: ActiveSubscription, learnFrom: number): void {
    watched.learnFrom = learnFrom
    watched.filter.learned!.forgetAbove(-1)
    this.#sql.exec('DELETE FROM learned_contracts WHERE trigger_id = ?', watched.triggerId)
    this.#sql.exec(
      'UPDATE subscriptions SET learn_from = ? WHERE trigger_id = ?',
      learnFrom,
      watched.triggerId,
    )
    this.startLearning(watched, learnFrom)
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

export function isFactoryFull({ filter }: ActiveSubscription): boolean {
  return filter.learned !== undefined && filter.learned.size > CHAIN_EVENT_ADDRESSES_MAX
}

function parseSubscription(row: SubscriptionRow, addresses?: AddressList): ActiveSubscription {
  const stored = JSON.parse(row.filter) as LogFilter
  const isFactory = stored.factory !== undefined
  const filter: LogFilter = {
    ...stored,
    ...(addresses && { addresses }),
    ...(isFactory && { learned: new LearnedContracts() }),
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
    learnFrom: row.learn_from ?? undefined,
    learningAt: row.learning_at ?? undefined,
    live: undefined,
    backfill: undefined,
  }
}

function parseCursor({ lane, next_block, next_log_index, from_block, to_block }: LaneRow) {
  const range = from_block === null || to_block === null ? null : { from: from_block, to: to_block }
  return new DeliveryCursor(lane, { block: next_block, logIndex: next_log_index }, range)
}
