import { HISTORY_RUNS_MAX } from '../../shared/limits.ts'
import type { FinishedRun } from './statistics-queries.ts'
import { CHART_RANGES, type ChartRange, type RunChart } from './trigger-snapshot.ts'

const RANGE_MAX_MS = CHART_RANGES['30d'].bucketMs * CHART_RANGES['30d'].buckets

type RunChartsOptions = {
  now: () => number
  /** Newest first. May be incomplete for a large history. */
  endedSince(time: number): FinishedRun[]
}

/**
 * Counts finished runs in time buckets, in memory, without test runs. The first chart reads up to 10,000 rows or 64 MiB from disk. Later
 * charts are computed from memory, and recording a run does not access the disk (`docs/decisions/0060`).
 */
export class RunCharts {
  readonly #options: RunChartsOptions
  /** Roughly in the order in which they finished. Undefined until the first chart is requested. */
  #runs: FinishedRun[] | undefined

  constructor(options: RunChartsOptions) {
    this.#options = options
  }

  /** The run must already be on disk, because the first chart reads all runs from there. */
  add({ status, startedAt, finishedAt }: FinishedRun): void {
    if (!this.#runs) return
    this.#runs.push({ status, startedAt, finishedAt })
    if (this.#runs.length > 2 * HISTORY_RUNS_MAX) this.#runs.splice(0, HISTORY_RUNS_MAX)
  }

  read(range: ChartRange): RunChart {
    const now = this.#options.now()
    this.#runs ??= this.#options.endedSince(now - RANGE_MAX_MS).toReversed()
    const { bucketMs, buckets } = CHART_RANGES[range]
    const first = (Math.floor(now / bucketMs) - buckets + 1) * bucketMs
    const counts = Array.from({ length: buckets }, () => ({ ok: 0, failed: 0, ms: [] as number[] }))
    for (const { status, startedAt, finishedAt } of this.#runs) {
      const bucket = counts[Math.floor((finishedAt - first) / bucketMs)]
      if (!bucket) continue
      bucket[status === 'success' ? 'ok' : 'failed']++
      // Prevents a negative duration if the clock was set back during the run.
      if (startedAt !== null) bucket.ms.push(Math.max(0, finishedAt - startedAt))
    }
    return {
      range,
      bucketMs,
      buckets: counts.map(({ ok, failed, ms }, i) => {
        const sorted = ms.toSorted((a, b) => a - b)
        const at = first + i * bucketMs
        return { at, ok, failed, p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
      }),
    }
  }
}

/** Returns a percentile by the nearest-rank method, or null if the list is empty. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null
}
