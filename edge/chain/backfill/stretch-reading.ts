import type { ChainReader } from '../rpc/chain-reader.ts'
import type { ChainLog, Position } from '../chain-log.ts'
import { weightOf } from './log-density.ts'
import { Pause } from './pause.ts'
import { queryOfFilter } from './query-of-filter.ts'
import { type Question, RangeReader, type ReadLogs } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import type { Stretch } from './stretch.ts'

/** A few responses, so that reading can continue during a delivery. */
const HELD_MAX = 10_000

/** Size of the logs in one delivery. The logs of a block are never split. */
const TOLD_AT_ONCE = 1_000

/** Progress of reading and delivering one block range. */
export class StretchReading {
  readonly pause = new Pause()
  isTelling = false
  /** Unix milliseconds; undefined if the trigger queue is not full. Reading continues when the cursor is due again. */
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

  /** Size of the buffered logs, as counted by `weightOf`. */
  get weight(): number {
    return this.#heldWeight + (this.#reader?.waiting ?? 0)
  }

  /** Buffered logs are kept if they are still needed. */
  resume(stretch: Stretch): void {
    this.fullSince = undefined
    const { next, to } = this.#stretch
    const isHere = compare(stretch.next, next) >= 0 && stretch.next.block <= this.#held.through + 1
    const isWhereItWas = compare(stretch.next, next) === 0
    if (stretch.to >= to && (isHere || isWhereItWas)) {
      // Keeps the end of the range that is being read. Later blocks become a separate range.
      this.#stretch = { ...stretch, to }
      this.#hold(this.#held)
    } else {
      this.#stretch = stretch
      this.forget()
    }
  }

  /**
   * Undefined if no request can be sent now.
   * @param room size of the logs that all block ranges together may still buffer
   * @param isOnly true if no other request is in flight
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

  /** Next logs to deliver, in order; undefined if there are none. They stay buffered until `told` is called. */
  ready(): ReadLogs | undefined {
    const read = this.#reader?.take()
    if (read) this.#hold({ logs: [...this.#held.logs, ...read.logs], through: read.through })
    return this.#held.through < this.#stretch.next.block ? undefined : firstOf(this.#held)
  }

  /** Records that the trigger accepted the logs from `ready`. */
  told({ through }: ReadLogs): void {
    this.#stretch = { ...this.#stretch, next: { block: through + 1, logIndex: 0 } }
    this.#hold(this.#held)
  }

  /** Logs that were not delivered are read again later. */
  forget(): void {
    this.#reader = undefined
    this.#hold({ logs: [], through: -1 })
  }

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
