import type { CountedRun } from './counted-runs.ts'
import { CHART_RANGES, type ChartRange, type RunChart } from './trigger-glance.ts'

/** Runs that are kept in memory, the latest: as many as a history has. */
const RUNS_MAX = 10_000

const RANGE_MAX_MS = CHART_RANGES['30d'].bucketMs * CHART_RANGES['30d'].buckets

export type RunChartsOptions = {
  now: () => number
  /** Runs that ended after a time, as far as the disk tells; newest first. */
  endedSince(time: number): CountedRun[]
}

/**
 * Counts the ended runs of a trigger by buckets of time. In memory: the disk is read when somebody first looks at a chart,
 * up to 10,000 rows or 64 MiB; from then on a chart costs one pass over what is kept, and a run nothing.
 */
export class RunCharts {
  readonly #options: RunChartsOptions
  /** In the order in which they ended, about; absent until somebody has asked. */
  #ended: CountedRun[] | undefined

  constructor(options: RunChartsOptions) {
    this.#options = options
  }

  /** A run has ended, and is on disk as ended. */
  ended({ status, startedAt, finishedAt }: CountedRun): void {
    if (!this.#ended) return
    this.#ended.push({ status, startedAt, finishedAt })
    if (this.#ended.length > 2 * RUNS_MAX) this.#ended.splice(0, RUNS_MAX)
  }

  read(range: ChartRange): RunChart {
    const now = this.#options.now()
    this.#ended ??= this.#options.endedSince(now - RANGE_MAX_MS).toReversed()
    const { bucketMs, buckets } = CHART_RANGES[range]
    const first = (Math.floor(now / bucketMs) - buckets + 1) * bucketMs
    const found = Array.from({ length: buckets }, () => ({ ok: 0, failed: 0, ms: [] as number[] }))
    for (const { status, startedAt, finishedAt } of this.#ended) {
      const bucket = found[Math.floor((finishedAt - first) / bucketMs)]
      if (!bucket) continue
      bucket[status === 'success' ? 'ok' : 'failed']++
      // A clock that was set back in between makes no negative duration.
      if (startedAt !== null) bucket.ms.push(Math.max(0, finishedAt - startedAt))
    }
    return {
      range,
      bucketMs,
      buckets: found.map(({ ok, failed, ms }, i) => {
        const sorted = ms.toSorted((a, b) => a - b)
        const at = first + i * bucketMs
        return { at, ok, failed, p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
      }),
    }
  }
}

/** The smallest that is not exceeded by this share of them (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null
}
