import { FEWEST_LOGS_REFUSED, type RangeSize } from './range-size.ts'

type Refused = {
  from: number
  to: number
  /** Number of blocks in the range that have not been read yet. */
  left: number
  /** Size of the logs in the blocks that have been read, as counted by `weightOf`. */
  logs: number
  /** Value of `RangeSize.refusedFrom` before the rejection. */
  before: number
}

/**
 * Tracks the rejected ranges of one reader until they have been read in smaller parts. Only then is the reason for a
 * rejection known. A limit on the number of blocks applies to all ranges, while too many logs affect only the rejected
 * range.
 */
export class RefusedRanges {
  readonly #size: RangeSize
  /**
   * Rejected ranges that have not been read completely. If a part of a range was rejected as well, it comes after the
   * range.
   */
  #ranges: Refused[] = []

  constructor(size: RangeSize) {
    this.#size = size
  }

  /**
   * Adds a rejected range.
   * @param before value of `RangeSize.refusedFrom` before the rejection
   */
  add({ from, to }: { from: number; to: number }, before: number): void {
    this.#ranges.push({ from, to, left: to - from + 1, logs: 0, before })
  }

  /** Records that a part of a rejected range was read, and the size of its logs. */
  read({ from, to }: { from: number; to: number }, logs: number): void {
    for (const range of this.#ranges.toReversed()) {
      if (from < range.from || to > range.to) continue
      range.left -= to - from + 1
      range.logs += logs
      if (range.left > 0 || range.logs < FEWEST_LOGS_REFUSED) continue
      this.#size.hadManyLogs(range.to - range.from + 1, range.logs, range.before)
    }
    if (this.#ranges.some(({ left }) => left === 0))
      this.#ranges = this.#ranges.filter(({ left }) => left > 0)
  }
}
