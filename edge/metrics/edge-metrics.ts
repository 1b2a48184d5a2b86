import { MINUTE_MS } from '../../shared/durations.ts'
import { DurableObject } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { Sample } from './exposition.ts'
import type { MetricsObject } from './metrics-object.ts'
import { sleep } from '../sleep.ts'
import { seriesOf } from './series.ts'

/**
 * The edge sets all labels itself, which results in a few hundred series of up to 100 characters. The limits prevent a
 * bug from filling the stored value, which has at most 2 MB. Series beyond them are not counted.
 */
export const SERIES_MAX = 5_000
export const SERIES_MAX_CHARACTERS = 256

/**
 * Minimum time between two writes of the sums. With a thousand isolates, the object is called 200 times a second, and
 * the platform charges for each write.
 */
export const STORE_INTERVAL_MS = 10_000

/** Counting the triggers reads one row per trigger. */
const TRIGGERS_CACHE_MS = 5 * MINUTE_MS

const STORAGE_KEY = 'counts'

/** Series that start at 0. Without a first sample, `increase()` would miss the first items. */
const INITIAL_SAMPLES = ['traces', 'logs'].map((signal): Sample => [
  seriesOf('svc_edge_telemetry_dropped_total', { signal }),
  0,
])

/**
 * Sums the counts of all isolates. Stores the sums as one value, because the object may be evicted between two scrapes,
 * and a counter that restarts each time would be useless. If the object is killed, the counts of the last
 * `STORE_INTERVAL_MS` are lost.
 */
export class EdgeMetrics extends DurableObject<Env> implements MetricsObject {
  #sums!: Map<string, number>
  #storedAt = Number.NEGATIVE_INFINITY
  #isStoreDue = false
  #triggers: { samples: Sample[]; at: number } | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      this.#sums = (await ctx.storage.get<Map<string, number>>(STORAGE_KEY)) ?? new Map()
    })
  }

  async add(batch: [string, number][]): Promise<void> {
    for (const [series, by] of batch) {
      const known = this.#sums.get(series)
      if (known === undefined && !this.#hasRoomFor(series)) continue
      this.#sums.set(series, (known ?? 0) + by)
    }
    const waitMs = this.#storedAt + STORE_INTERVAL_MS - Date.now()
    // A wait above the interval means that the clock was set back.
    if (waitMs <= 0 || waitMs > STORE_INTERVAL_MS) return this.#store()
    if (this.#isStoreDue) return
    this.#isStoreDue = true
    // Keeps the object in memory until the counts are stored.
    this.ctx.waitUntil(sleep(waitMs).then(() => this.#store()))
  }

  #hasRoomFor(series: string): boolean {
    return this.#sums.size < SERIES_MAX && series.length <= SERIES_MAX_CHARACTERS
  }

  async #store(): Promise<void> {
    this.#isStoreDue = false
    this.#storedAt = Date.now()
    await this.ctx.storage.put(STORAGE_KEY, this.#sums)
  }

  async read(): Promise<Map<string, number>> {
    return new Map([...INITIAL_SAMPLES, ...this.#sums, ...(await this.#countTriggers())])
  }

  async #countTriggers(): Promise<Sample[]> {
    const now = Date.now()
    if (this.#triggers && Math.abs(now - this.#triggers.at) < TRIGGERS_CACHE_MS)
      return this.#triggers.samples
    try {
      const { triggers } = schema
      const enabled = sql<number>`json_extract(${triggers.record}, '$.enabled')`
      const rows = await drizzle(this.env.DB, { schema })
        .select({ kind: triggers.kind, enabled, number: sql<number>`count(*)` })
        .from(triggers)
        .groupBy(triggers.kind, enabled)
      const samples = rows.map(({ kind, number, ...row }): Sample => {
        const labels = { kind, enabled: row.enabled === 1 ? 'true' : 'false' }
        return [seriesOf('svc_edge_triggers', labels), number]
      })
      this.#triggers = { samples, at: now }
      return samples
    } catch {
      return []
    }
  }
}
