import type { ChainReader } from '../rpc/chain-reader.ts'
import type { ChainLog, Position } from '../chain-log.ts'
import { weightOf } from './log-density.ts'
import { Pause } from './pause.ts'
import { queryOfFilter } from './query-of-filter.ts'
import { type Question, RangeReader, type ReadLogs } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import type { Stretch } from './stretch.ts'

/** Logs of one stretch that may be in memory: some answers, so that reading goes on while its trigger is told. */
const HELD_MAX = 10_000

/** Logs that a trigger is told of at once: its object writes them in one transaction. A block's are never torn apart. */
const TOLD_AT_ONCE = 1_000

/** One stretch while it is read: what of it was read, what of that was told, and when it goes on. */
export class StretchReading {
  readonly pause = new Pause()
  isTelling = false
  /** Unix milliseconds. Its trigger has no room since then: it goes on when its lane is due again. */
  fullSince: number | undefined
  #stretch: Stretch
  #reader: RangeReader | undefined
  #held: ReadLogs = { logs: [], through: -1 }
  #heldWeight = 0

  constructor(stretch: Stretch) {
    this.#stretch = stretch
  }

  get stretch(): Stretch {
    return this.#stretch
  }

  get isOver(): boolean {
    return this.#stretch.next.block > this.#stretch.to
  }

  /** Logs in memory, by `weightOf`. */
  get weight(): number {
    return this.#heldWeight + (this.#reader?.waiting ?? 0)
  }

  /** The lane is here now: what is in memory stays, where it is of use. */
  resume(stretch: Stretch): void {
    this.fullSince = undefined
    const { next, to } = this.#stretch
    const isHere = compare(stretch.next, next) >= 0 && stretch.next.block <= this.#held.through + 1
    const isWhereItWas = compare(stretch.next, next) === 0
    if (stretch.to >= to && (isHere || isWhereItWas)) {
      // As far as it is being read already; what has come since is a stretch of its own.
      this.#stretch = { ...stretch, to }
      this.#hold(this.#held)
    } else {
      this.#stretch = stretch
      this.forget()
    }
  }

  /**
   * What can be asked next; `undefined` for nothing now.
   * @param room for logs that have to wait, of all stretches
   * @param isOnly no other question is under way
   */
  next(chain: ChainReader, size: RangeSize, room: number, isOnly: boolean): Question | undefined {
    const mine = HELD_MAX - this.weight
    if (mine <= 0 || this.#held.through >= this.#stretch.to) return undefined
    this.#reader ??= new RangeReader(chain, size, {
      query: queryOfFilter(this.#stretch.filter),
      from: Math.max(this.#stretch.next.block, this.#held.through + 1),
      to: this.#stretch.to,
      lane: 'backfill',
    })
    return this.#reader.next(Math.min(mine, room), isOnly)
  }

  async ask(question: Question): Promise<void> {
    await this.#reader?.ask(question)
  }

  /** What its trigger can be told of now, in order; it stays in memory until `told`. */
  ready(): ReadLogs | undefined {
    const read = this.#reader?.take()
    if (read) this.#hold({ logs: [...this.#held.logs, ...read.logs], through: read.through })
    return this.#held.through < this.#stretch.next.block ? undefined : firstOf(this.#held)
  }

  /** The trigger has what `ready` gave. */
  told({ through }: ReadLogs): void {
    this.#stretch = { ...this.#stretch, next: { block: through + 1, logIndex: 0 } }
    this.#hold(this.#held)
  }

  /** Gives its memory back: what was read and not told is read again. */
  forget(): void {
    this.#reader = undefined
    this.#hold({ logs: [], through: -1 })
  }

  /** Keeps what is not told yet. */
  #hold({ logs, through }: ReadLogs): void {
    const { next } = this.#stretch
    this.#held = { logs: logs.filter((log) => compare(placeOf(log), next) >= 0), through }
    this.#heldWeight = weightOf(this.#held.logs)
  }
}

function firstOf({ logs, through }: ReadLogs): ReadLogs {
  let weight = 0
  for (const [index, log] of logs.entries()) {
    const isNewBlock = index > 0 && logs[index - 1]!.blockNumber < log.blockNumber
    if (isNewBlock && weight >= TOLD_AT_ONCE)
      return { logs: logs.slice(0, index), through: log.blockNumber - 1 }
    weight += weightOf([log])
  }
  return { logs, through }
}

function placeOf({ blockNumber, logIndex }: ChainLog): Position {
  return { block: blockNumber, logIndex }
}

function compare(a: Position, b: Position): number {
  return a.block - b.block || a.logIndex - b.logIndex
}
