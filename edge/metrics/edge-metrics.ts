import { MINUTE_MS } from '../../shared/durations.ts'
import { DurableObject } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { Sample } from './exposition.ts'
import type { MetricsObject } from './metrics-object.ts'
import { seriesOf } from './series.ts'

/**
 * The edge sets all labels itself, which results in a few hundred series. The limit prevents a bug from filling the
 * storage.
 */
const SERIES_MAX = 5_000

/** Counting the triggers reads one row per trigger. */
const TRIGGERS_CACHE_MS = 5 * MINUTE_MS

const STORAGE_KEY = 'counts'

/**
 * Sums the counts of all isolates. Stores the sums as one value on every flush, because the object may be evicted
 * between two scrapes, and a counter that restarts each time would be useless.
 */
export class EdgeMetrics extends DurableObject<Env> implements MetricsObject {
  #sums!: Map<string, number>
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
      if (known === undefined && this.#sums.size >= SERIES_MAX) continue
      this.#sums.set(series, (known ?? 0) + by)
    }
    await this.ctx.storage.put(STORAGE_KEY, this.#sums)
  }

  async read(): Promise<Map<string, number>> {
    return new Map([...this.#sums, ...(await this.#countTriggers())])
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
