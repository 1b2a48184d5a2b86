import { FEWEST_LOGS_REFUSED, type RangeSize } from './range-size.ts'

type Refused = {
  from: number
  to: number
  /** Blocks that have not been read yet. */
  left: number
  /** Weight of the logs in the blocks that have been read. */
  logs: number
  /** `refusedFrom` before the rejection. */
  before: number
}

/**
 * Rejected ranges of one reader, until they have been read in parts. Only then is the cause known: too many blocks,
 * which applies to all ranges, or too many logs, which applies only to this one.
 */
export class RefusedRanges {
  readonly #size: RangeSize
  /** A rejected part comes after the range that contains it. */
  #ranges: Refused[] = []

  constructor(size: RangeSize) {
    this.#size = size
  }

  /** @param before `refusedFrom` before the rejection */
  add({ from, to }: { from: number; to: number }, before: number): void {
    this.#ranges.push({ from, to, left: to - from + 1, logs: 0, before })
  }

  /** Records that a part was read, and the weight of its logs. */
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
