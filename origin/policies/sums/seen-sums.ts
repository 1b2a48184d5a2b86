import type { SumState } from '../../../shared/policies/rolling-sum.ts'
import { LruCache } from '../../lru-cache.ts'
import type { ClockReading } from './clocks.ts'
import { type SumId, type SumRow, sumName } from './sum-rows.ts'

/** A sum takes up to about 10 KB, if each bucket of its window has a charge. */
const SUMS_MAX = 2_048

/** Maximum reservations of a contended sum before its state is assumed again. */
const SKIPS_MAX = 64

type SeenSum = {
  state: SumState | undefined
  /** Consecutive wrong assumptions. */
  failures: number
  /** Number of further reservations that do not use the state. */
  skips: number
}

export type SeenDatabase = {
  /** See `DatabaseState`. */
  completeSince: number
  reading: ClockReading
}

/**
 * Caches the sums and the state of the database as this process last saw them. Other processes can change them at any
 * time, so the database verifies them before it reserves anything.
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

  /** Stores the state after a transaction. */
  remember(rows: readonly SumRow[], database: SeenDatabase): void {
    this.#database = database
    for (const row of rows) this.#seen(row).state = row.state
  }

  /** Records that the assumptions were right. */
  confirm(ids: readonly SumId[]): void {
    for (const id of ids) this.#seen(id).failures = 0
  }

  /** Removes states, at least one of which is outdated. After repeated failures, they are not used for a while. */
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
