import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import { routeOf } from '../matching/matches.ts'
import type { Lane, Subscription } from '../subscription.ts'
import { LanePosition } from './lane-position.ts'

/** A subscription as the watcher has it. Another generation is another object: who still holds the old one can tell. */
export type Watched = {
  readonly triggerId: string
  readonly generation: number
  readonly filter: LogFilter
  readonly route: string
  version: number
  finality: Finality
  /** The name of its finality's mark. */
  mark: string
  since: number
  coveredFrom: number | undefined
  /** The live lane where it is behind; `undefined`: in step. */
  live: LanePosition | undefined
  backfill: LanePosition | undefined
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
type LaneRow = {
  trigger_id: string
  lane: Lane
  next_block: number
  next_log_index: number
  from_block: number | null
  to_block: number | null
}

/** An ended subscription is remembered this long: calls do not come later than that. */
const ENDED_KEPT_MS = 60 * 60 * 1000

export function markOf(finality: Finality): string {
  return JSON.stringify(finality)
}

/** Who wants what, and who is behind: in memory, and on disk. What writes is called in a transaction of its caller. */
export class Subscriptions {
  readonly #sql: SqlStorage
  readonly #all = new Map<string, Watched>()
  readonly #byRoute = new Map<string, Set<Watched>>()
  /** Rises with each change of what is asked of the chain. */
  #filters = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  /** Reads them anew: at the start, and after a transaction that failed. */
  load(): void {
    const sql = this.#sql
    this.#all.clear()
    this.#byRoute.clear()
    const rows = sql.exec<SubscriptionRow>('SELECT * FROM subscriptions WHERE ended_at IS NULL')
    for (const row of rows) this.#add(watchedOf(row))
    for (const row of sql.exec<LaneRow>('SELECT * FROM lanes')) {
      const watched = this.#all.get(row.trigger_id)
      if (watched) watched[row.lane] = positionOf(row)
    }
  }

  get size(): number {
    return this.#all.size
  }

  /** Another number: the union is another one. */
  get filters(): number {
    return this.#filters
  }

  all(): IterableIterator<Watched> {
    return this.#all.values()
  }

  get(triggerId: string): Watched | undefined {
    return this.#all.get(triggerId)
  }

  isCurrent(watched: Watched): boolean {
    return this.#all.get(watched.triggerId) === watched
  }

  ofRoute(route: string): Iterable<Watched> {
    return this.#byRoute.get(route) ?? []
  }

  /** The version that is known of a trigger, also of one whose subscription has ended. */
  versionOf(triggerId: string): number | undefined {
    return this.#sql
      .exec<{ version: number }>(
        'SELECT version FROM subscriptions WHERE trigger_id = ?',
        triggerId,
      )
      .toArray()[0]?.version
  }

  /** A trigger begins, or begins anew: the lanes of before are gone. */
  begin(subscription: Subscription, coveredFrom: number | undefined): Watched {
    const { triggerId, version, generation, filter, finality, since, backfill } = subscription
    this.#drop(triggerId)
    this.#sql.exec('DELETE FROM lanes WHERE trigger_id = ?', triggerId)
    this.#sql.exec(
      `INSERT OR REPLACE INTO subscriptions (trigger_id, version, generation, filter, finality, since, covered_from)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      triggerId,
      version,
      generation,
      JSON.stringify(filter),
      markOf(finality),
      since,
      coveredFrom ?? null,
    )
    const watched: Watched = {
      triggerId,
      version,
      generation,
      filter,
      route: routeOf(filter),
      finality,
      mark: markOf(finality),
      since,
      coveredFrom,
      live: undefined,
      backfill: undefined,
    }
    this.#add(watched)
    if (backfill && backfill.from <= backfill.to) {
      watched.backfill = new LanePosition(
        'backfill',
        { block: backfill.from, logIndex: 0 },
        backfill,
      )
      this.put(watched, watched.backfill)
    }
    return watched
  }

  /** Another version, or finality, of the same generation. */
  change(watched: Watched, version: number, finality: Finality): void {
    watched.version = version
    watched.finality = finality
    watched.mark = markOf(finality)
    this.#sql.exec(
      'UPDATE subscriptions SET version = ?, finality = ? WHERE trigger_id = ?',
      version,
      watched.mark,
      watched.triggerId,
    )
  }

  /** Ends one, as of a version. */
  end(triggerId: string, version: number, now: number): void {
    this.#drop(triggerId)
    this.#sql.exec('DELETE FROM lanes WHERE trigger_id = ?', triggerId)
    this.#sql.exec(
      `INSERT INTO subscriptions (trigger_id, version, generation, filter, finality, since, ended_at)
       VALUES (?1, ?2, 0, '', '', 0, ?3) ON CONFLICT (trigger_id) DO UPDATE SET version = ?2, ended_at = ?3`,
      triggerId,
      version,
      now,
    )
    this.#sql.exec('DELETE FROM subscriptions WHERE ended_at < ?', now - ENDED_KEPT_MS)
  }

  /** Notes where a lane is. */
  put(watched: Watched, position: LanePosition): void {
    const { lane, next, range } = position
    this.#sql.exec(
      `INSERT OR REPLACE INTO lanes (trigger_id, lane, next_block, next_log_index, from_block, to_block)
       VALUES (?, ?, ?, ?, ?, ?)`,
      watched.triggerId,
      lane,
      next.block,
      next.logIndex,
      range?.from ?? null,
      range?.to ?? null,
    )
  }

  /** A live lane is in step from here on. */
  join(watched: Watched): void {
    watched.live = undefined
    this.#dropLane(watched, 'live')
  }

  /**
   * A backfill has ended: should blocks of it be taken back, then the live lane tells of those in their places. Unless there
   * are blocks between the two that nobody is owed, of a time in which the trigger was disabled: then it rests.
   * @param settled blocks up to this one stay
   */
  endBackfill(watched: Watched, settled: number): void {
    const lane = watched.backfill
    if (!lane?.range) return
    const { from, to } = lane.range
    const isNextToLive = to + 1 >= watched.since
    if (!isNextToLive && to > settled) {
      lane.isResting = true
      return
    }
    watched.backfill = undefined
    this.#dropLane(watched, 'backfill')
    if (isNextToLive) this.setSince(watched, Math.min(watched.since, from))
  }

  setSince(watched: Watched, since: number): void {
    watched.since = since
    this.#sql.exec(
      'UPDATE subscriptions SET since = ? WHERE trigger_id = ?',
      since,
      watched.triggerId,
    )
  }

  setCoveredFrom(watched: Watched, block: number): void {
    watched.coveredFrom = block
    this.#sql.exec(
      'UPDATE subscriptions SET covered_from = ? WHERE trigger_id = ?',
      block,
      watched.triggerId,
    )
  }

  #add(watched: Watched): void {
    this.#filters++
    this.#all.set(watched.triggerId, watched)
    const same = this.#byRoute.get(watched.route)
    if (same) same.add(watched)
    else this.#byRoute.set(watched.route, new Set([watched]))
  }

  #drop(triggerId: string): void {
    const watched = this.#all.get(triggerId)
    if (!watched) return
    this.#filters++
    this.#all.delete(triggerId)
    const same = this.#byRoute.get(watched.route)
    same?.delete(watched)
    if (same?.size === 0) this.#byRoute.delete(watched.route)
  }

  #dropLane({ triggerId }: Watched, lane: Lane): void {
    this.#sql.exec('DELETE FROM lanes WHERE trigger_id = ? AND lane = ?', triggerId, lane)
  }
}

function watchedOf(row: SubscriptionRow): Watched {
  const filter = JSON.parse(row.filter) as LogFilter
  return {
    triggerId: row.trigger_id,
    version: row.version,
    generation: row.generation,
    filter,
    route: routeOf(filter),
    finality: JSON.parse(row.finality) as Finality,
    mark: row.finality,
    since: row.since,
    coveredFrom: row.covered_from ?? undefined,
    live: undefined,
    backfill: undefined,
  }
}

function positionOf({ lane, next_block, next_log_index, from_block, to_block }: LaneRow) {
  const range = from_block === null || to_block === null ? null : { from: from_block, to: to_block }
  return new LanePosition(lane, { block: next_block, logIndex: next_log_index }, range)
}
