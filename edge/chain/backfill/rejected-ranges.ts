import { REJECTED_LOGS_MIN, type RangeSize } from './range-size.ts'

type RejectedRange = {
  from: number
  to: number
  left: number
  /** Size of the logs in the parts read so far, as measured by `weightOf`. */
  logs: number
  /** Value of `RangeSize.rejectedFrom` before the rejection. */
  before: number
}

/**
 * Tracks rejected ranges until they have been read in smaller parts, which reveals why they were rejected. A limit on
 * the number of blocks applies to all ranges, but too many logs concern only the rejected range.
 */
export class RejectedRanges {
  readonly #size: RangeSize
  /** Rejected ranges. If a part of a range is rejected too, it comes after that range. */
  #ranges: RejectedRange[] = []

  constructor(size: RangeSize) {
    this.#size = size
  }

  add({ from, to }: { from: number; to: number }, before: number): void {
    this.#ranges.push({ from, to, left: to - from + 1, logs: 0, before })
  }

  recordRead({ from, to }: { from: number; to: number }, logs: number): void {
    for (const range of this.#ranges.toReversed()) {
      if (from < range.from || to > range.to) continue
      range.left -= to - from + 1
      range.logs += logs
      if (range.left > 0 || range.logs < REJECTED_LOGS_MIN) continue
      this.#size.recordManyLogs(range.to - range.from + 1, range.logs, range.before)
    }
    if (this.#ranges.some(({ left }) => left === 0))
      this.#ranges = this.#ranges.filter(({ left }) => left > 0)
  }
}
