import { FEWEST_LOGS_REFUSED, type RangeSize } from './range-size.ts'

type Refused = {
  from: number
  to: number
  /** Blocks of it that were not read yet. */
  left: number
  /** What the others had. */
  logs: number
  /** What was known to be too large before. */
  before: number
}

/**
 * Ranges of one stretch that were refused, until they have been read in parts: only then is it known whether there were
 * too many blocks in them, which holds for all stretches, or too many logs, which is theirs alone.
 */
export class RefusedRanges {
  readonly #size: RangeSize
  /** A part that was refused in its turn is behind the whole. */
  #ranges: Refused[] = []

  constructor(size: RangeSize) {
    this.#size = size
  }

  /** @param before `refusedFrom` of the size, before it was told */
  add({ from, to }: { from: number; to: number }, before: number): void {
    this.#ranges.push({ from, to, left: to - from + 1, logs: 0, before })
  }

  /** A part was read, and has so many logs. */
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
