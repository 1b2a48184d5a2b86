import type { SumState } from '../../../shared/policies/rolling-sum.ts'
import { LruCache } from '../../lru-cache.ts'
import type { ClockReading } from './clocks.ts'
import { type SumId, type SumRow, sumName } from './sum-rows.ts'

/** A sum of a window with one charge in each bucket takes about 10 KB. */
const SUMS_MAX = 2_048

/** Reservations of a sum that others change all the time, before its state is assumed again. */
const SKIPS_MAX = 64

type SeenSum = {
  state: SumState | undefined
  /** Wrong assumptions since the last right one. */
  failures: number
  /** Reservations for which nothing is assumed. */
  skips: number
}

export type SeenDatabase = {
  /** As in `DatabaseState`. */
  completeSince: number
  reading: ClockReading
}

/**
 * What this process last saw of sums and of the database. Other processes change it at any time, so it is only assumed:
 * the database compares it before anything is reserved.
 */
export class SeenSums {
  readonly #sums = new LruCache<SeenSum>(SUMS_MAX)
  #database: SeenDatabase | undefined

  get database(): SeenDatabase | undefined {
    return this.#database
  }

  /** Returns undefined unless the states of all sums can be assumed. */
  assume(ids: readonly SumId[]): SumRow[] | undefined {
    let isAssumed = true
    const rows = ids.map(({ pkpId, key }): SumRow => {
      const seen = this.#sums.get(sumName({ pkpId, key }))
      if (!seen?.state || seen.skips > 0) isAssumed = false
      if (seen && seen.skips > 0) seen.skips--
      return { pkpId, key, state: seen?.state }
    })
    return isAssumed ? rows : undefined
  }

  /** Remembers what was committed, or read without a change. */
  remember(rows: readonly SumRow[], database: SeenDatabase): void {
    this.#database = database
    for (const row of rows) this.#seen(row).state = row.state
  }

  /** Remembers that an assumption was right. */
  confirm(ids: readonly SumId[]): void {
    for (const id of ids) this.#seen(id).failures = 0
  }

  /** Forgets states, one of which may be wrong. After several times, they are not assumed for a while. */
  reject(ids: readonly SumId[]): void {
    for (const id of ids) {
      const seen = this.#seen(id)
      seen.state = undefined
      seen.skips = Math.min(2 ** seen.failures - 1, SKIPS_MAX)
      seen.failures++
    }
  }

  #seen(id: SumId): SeenSum {
    return this.#sums.getOrCreate(sumName(id), () => ({
      state: undefined,
      failures: 0,
      skips: 0,
    }))
  }
}
