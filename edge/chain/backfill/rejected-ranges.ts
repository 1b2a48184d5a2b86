import { REJECTED_LOGS_MIN, type RangeSize } from './range-size.ts'

type RejectedRange = {
  from: number
  to: number
  left: number
  /** Size of the logs in the blocks read so far, as counted by `weightOf`. */
  logs: number
  /** `RangeSize.rejectedFrom` before the rejection. */
  before: number
}

/**
 * Rejected ranges, until they have been read in smaller parts. Only then is the reason known: a limit on the number of
 * blocks applies to all ranges, too many logs only to the rejected range.
 */
export class RejectedRanges {
  readonly #size: RangeSize
  /** A rejected part of a range comes after the range. */
  #ranges: RejectedRange[] = []

  constructor(size: RangeSize) {
    this.#size = size
  }

  /** @param before value of `RangeSize.rejectedFrom` before the rejection */
  add({ from, to }: { from: number; to: number }, before: number): void {
    this.#ranges.push({ from, to, left: to - from + 1, logs: 0, before })
  }

  /** @param logs size of the logs in the part that was read */
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
