import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import { ChainUnreachableError, RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import type { LogReader } from './log-reader.ts'
import { LogDensity, weightOf } from './log-density.ts'
import { readBlockLogs, mayBeTruncated } from './read-block-logs.ts'
import { type RangeSize, REJECTED_LOGS_MIN } from './range-size.ts'

/** Logs after the previous batch, up to and including block `through`. */
export type LogBatch = { logs: ChainLog[]; through: number }

type Piece = {
  from: number
  to: number
  state: 'open' | 'asked' | 'read'
  logs: ChainLog[]
  weight: number
  /** Number of failed requests that may have failed because the piece is too long. */
  failures: number
}

export type RangeRequest = { readonly piece: Piece; readonly isProbe: boolean }

/**
 * Maximum number of pieces ahead of the first unread piece. A piece uses little memory, but a range can have millions
 * of pieces.
 */
const PIECES_AHEAD = 64

/**
 * Number of failures after which a range is assumed to be too large. A single failure is not enough, because a request
 * that takes a node too long fails in the same way as a request to an unavailable node.
 */
const FAILURES_TO_SPLIT = 2

/**
 * Reads the logs of a range with several concurrent requests, and returns them in order. The caller decides when to
 * send requests (`next`, `send`), so that several readers can share a limit on requests in flight.
 */
export class RangeReader {
  readonly #chain: LogReader
  readonly #query: LogQuery
  readonly #priority: ReadPriority
  readonly #size: RangeSize
  readonly #density = new LogDensity()
  readonly #rejected: RejectedRanges
  /** Pieces whose logs have not been returned yet, in order and without gaps. */
  readonly #pieces: Piece[]
  #bufferedWeight = 0

  /** @param size size limits learned from the provider, which all readers share */
  constructor(
    chain: LogReader,
    size: RangeSize,
    { query, from, to, lane }: { query: LogQuery; from: number; to: number; lane: ReadPriority },
  ) {
    this.#chain = chain
    this.#size = size
    this.#query = query
    this.#priority = lane
    this.#rejected = new RejectedRanges(size)
    this.#pieces = [newPiece(from, to)]
  }

  get isDone(): boolean {
    return this.#pieces.length === 0
  }

  get bufferedWeight(): number {
    return this.#bufferedWeight
  }

  /**
   * Prepares the next request. The caller passes the result to `send`.
   * @param room maximum size of the logs to buffer while an earlier piece is missing; the earliest piece ignores this
   *   limit
   */
  next(room: number, isOnly: boolean): RangeRequest | undefined {
    const at = this.#pieces.findIndex(({ state }) => state === 'open')
    const found = this.#pieces[at]
    if (!found) return undefined
    const most = this.#maxBlocks(found)
    const isAhead = at > 0
    if (isAhead && (at >= PIECES_AHEAD || this.#expected(most) > room)) return undefined
    const size = this.#size.next(most, isOnly)
    if (!size) return undefined
    const piece = this.#split(at, found, size.blocks)
    piece.state = 'asked'
    return { piece, isProbe: size.isProbe }
  }

  /**
   * Sends a request. If it fails, a later `next` returns its piece again, in smaller parts if the provider rejected its
   * size.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   * @throws {BlockRejectedError}
   */
  async send({ piece, isProbe }: RangeRequest): Promise<void> {
    const blocks = lengthOf(piece)
    try {
      const logs = await this.#readPiece(piece)
      this.#recordLogs(piece, logs)
    } catch (error) {
      piece.state = 'open'
      if (error instanceof RangeRejectedError) return this.#recordRejection(piece, error.blocks)
      const mayBeTooLong =
        error instanceof ChainUnreachableError && error.perhapsRange && blocks > 1
      if (mayBeTooLong && ++piece.failures === FAILURES_TO_SPLIT) this.#recordRejection(piece)
      throw error
    } finally {
      if (isProbe) this.#size.endProbe()
    }
  }

  /** Removes and returns the logs before the first unread piece. Returns undefined if the first piece is unread. */
  take(): LogBatch | undefined {
    const missing = this.#pieces.findIndex(({ state }) => state !== 'read')
    const read = this.#pieces.splice(0, missing === -1 ? this.#pieces.length : missing)
    const last = read.at(-1)
    if (!last) return undefined
    this.#bufferedWeight = 0
    for (const { weight } of this.#pieces) this.#bufferedWeight += weight
    return { logs: read.flatMap((piece) => piece.logs), through: last.to }
  }

  #expected(blocks: number): number {
    const asked = this.#pieces.filter(({ state }) => state === 'asked')
    return this.#density.expectedLogs(asked.reduce((sum, piece) => sum + lengthOf(piece), blocks))
  }

  #readPiece({ from, to }: Piece): Promise<ChainLog[]> {
    return from === to
      ? readBlockLogs(this.#chain, this.#query, from, this.#priority)
      : this.#chain.logs(this.#query, from, to, this.#priority)
  }

  #recordRejection(piece: Piece, hint?: number): void {
    this.#rejected.add(piece, this.#size.rejectedFrom)
    this.#size.recordRejection(lengthOf(piece), hint)
  }

  #recordLogs(piece: Piece, logs: ChainLog[]): void {
    const blocks = lengthOf(piece)
    if (blocks > 1 && mayBeTruncated(logs)) {
      // The response may have been truncated, so both halves of the piece are requested again.
      this.#split(this.#pieces.indexOf(piece), piece, Math.ceil(blocks / 2)).state = 'open'
      piece.state = 'open'
      return
    }
    piece.state = 'read'
    piece.logs = logs
    piece.weight = weightOf(logs)
    this.#bufferedWeight += piece.weight
    this.#size.recordSuccess(blocks)
    this.#density.record(blocks, piece.weight)
    this.#rejected.recordRead(piece, piece.weight)
  }

  #maxBlocks(piece: Piece): number {
    const length = lengthOf(piece)
    const parts = piece.failures < FAILURES_TO_SPLIT ? 1 : 2
    const most = this.#density.blocksFor(this.#size.targetLogs)
    return Math.min(Math.ceil(length / parts), most)
  }

  /** Splits the first blocks off a piece, and returns them as a new piece. */
  #split(at: number, piece: Piece, blocks: number): Piece {
    if (blocks === lengthOf(piece)) return piece
    const first = newPiece(piece.from, piece.from + blocks - 1)
    piece.from += blocks
    piece.failures = 0
    this.#pieces.splice(at, 0, first)
    return first
  }
}

function newPiece(from: number, to: number): Piece {
  return { from, to, state: 'open', logs: [], weight: 0, failures: 0 }
}

function lengthOf({ from, to }: { from: number; to: number }): number {
  return to - from + 1
}

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
class RejectedRanges {
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
