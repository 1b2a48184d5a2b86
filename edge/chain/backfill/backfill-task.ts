import type { ChainReader } from '../rpc/chain-reader.ts'
import { comparePositions, positionOf } from '../chain-log.ts'
import { matchesFilter } from '../matching/log-matching.ts'
import { readerOf } from './filter-reader.ts'
import { weightOf } from './log-density.ts'
import { RetryBackoff } from './retry-backoff.ts'
import { type RangeRequest, RangeReader, type LogBatch } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'
import type { BackfillRange } from './backfill-source.ts'

/**
 * Maximum size of the logs that one task buffers. A few responses fit, so that reading can continue during a delivery.
 */
const BUFFERED_MAX = 10_000

/** Target size of the logs in one delivery. The logs of a block are never split between deliveries. */
const DELIVERY_WEIGHT = 1_000

export class BackfillTask {
  readonly backoff = new RetryBackoff()
  isDelivering = false
  /**
   * Time at which the trigger queue reported that it was full, in Unix milliseconds. Undefined if the queue is not
   * full. Reading continues when the cursor is due again.
   */
  fullSince: number | undefined
  #range: BackfillRange
  #reader: RangeReader | undefined
  #buffered: LogBatch = { logs: [], through: -1 }
  #bufferedWeight = 0

  constructor(range: BackfillRange) {
    this.#range = range
  }

  get range(): BackfillRange {
    return this.#range
  }

  get isDone(): boolean {
    return this.#range.next.block > this.#range.to
  }

  get weight(): number {
    return this.#bufferedWeight + (this.#reader?.bufferedWeight ?? 0)
  }

  /** Buffered logs are retained if the range still needs them. */
  resume(range: BackfillRange): void {
    this.fullSince = undefined
    const { next, to } = this.#range
    const moved = comparePositions(range.next, next)
    const isBuffered = moved >= 0 && range.next.block <= this.#buffered.through + 1
    const isUnmoved = moved === 0
    if (range.to >= to && (isBuffered || isUnmoved)) {
      // Retains the end of the range that is already being read. Later blocks become a separate range.
      this.#range = { ...range, to }
      this.#buffer(this.#buffered)
    } else {
      this.#range = range
      this.discard()
    }
  }

  /** @param room size of the logs that all block ranges together may still buffer */
  next(
    chain: ChainReader,
    size: RangeSize,
    room: number,
    isOnly: boolean,
  ): RangeRequest | undefined {
    const mine = BUFFERED_MAX - this.weight
    if (mine <= 0 || this.#buffered.through >= this.#range.to) return undefined
    this.#reader ??= this.#openReader(chain, size)
    return this.#reader.next(Math.min(mine, room), isOnly)
  }

  #openReader(chain: ChainReader, size: RangeSize): RangeReader {
    const reader = readerOf(this.#range.filter, { chain, size })
    return new RangeReader(reader.chain, reader.size, {
      query: reader.query,
      from: Math.max(this.#range.next.block, this.#buffered.through + 1),
      to: this.#range.to,
      lane: 'backfill',
    })
  }

  async send(request: RangeRequest): Promise<void> {
    await this.#reader?.send(request)
  }

  /** The logs stay buffered until `recordDelivered` is called. */
  readyLogs(): LogBatch | undefined {
    const read = this.#reader?.take()
    if (read) {
      const matching = read.logs.filter((log) => matchesFilter(this.#range.filter, log))
      this.#buffer({ logs: [...this.#buffered.logs, ...matching], through: read.through })
    }
    return this.#buffered.through < this.#range.next.block
      ? undefined
      : firstDelivery(this.#buffered)
  }

  recordDelivered({ through }: LogBatch): void {
    this.#range = { ...this.#range, next: { block: through + 1, logIndex: 0 } }
    this.#buffer(this.#buffered)
  }

  discard(): void {
    this.#reader = undefined
    this.#buffer({ logs: [], through: -1 })
  }

  #buffer({ logs, through }: LogBatch): void {
    const { next } = this.#range
    this.#buffered = {
      logs: logs.filter((log) => comparePositions(positionOf(log), next) >= 0),
      through,
    }
    this.#bufferedWeight = weightOf(this.#buffered.logs)
  }
}

function firstDelivery({ logs, through }: LogBatch): LogBatch {
  let weight = 0
  for (const [index, log] of logs.entries()) {
    const isNewBlock = index > 0 && logs[index - 1]!.blockNumber < log.blockNumber
    if (isNewBlock && weight >= DELIVERY_WEIGHT)
      return { logs: logs.slice(0, index), through: log.blockNumber - 1 }
    weight += weightOf([log])
  }
  return { logs, through }
}
