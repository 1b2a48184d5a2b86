import { DurableObject } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { Sample } from './exposition.ts'
import { seriesOf } from './series.ts'

/** Every label is one of ours, so that there are a few hundred; what is more is a fault, and must not fill the storage. */
const SERIES_MAX = 5_000

/** The index is counted whole: a row is read for each trigger. */
const TRIGGERS_KEPT_MS = 5 * 60 * 1000

const STORED = 'counts'

/**
 * The counts of all isolates, summed. One object, which stores them as one value each time that it is given some: it may
 * be evicted between two questions, and a counter that begins again with each of them says nothing.
 */
export class EdgeMetrics extends DurableObject<Env> {
  #sums!: Map<string, number>
  #triggers: { samples: Sample[]; at: number } | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      this.#sums = (await ctx.storage.get<Map<string, number>>(STORED)) ?? new Map()
    })
  }

  /** What an isolate has counted since it last did so. */
  async add(batch: [string, number][]): Promise<void> {
    for (const [series, by] of batch) {
      const known = this.#sums.get(series)
      if (known === undefined && this.#sums.size >= SERIES_MAX) continue
      this.#sums.set(series, (known ?? 0) + by)
    }
    await this.ctx.storage.put(STORED, this.#sums)
  }

  /** All sums, and the triggers in the index, unless that does not answer; by series. */
  async read(): Promise<Map<string, number>> {
    return new Map([...this.#sums, ...(await this.#triggersNow())])
  }

  async #triggersNow(): Promise<Sample[]> {
    const now = Date.now()
    if (this.#triggers && Math.abs(now - this.#triggers.at) < TRIGGERS_KEPT_MS)
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
