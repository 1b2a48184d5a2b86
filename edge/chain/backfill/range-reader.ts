import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadLane } from '../rpc/chain-reader.ts'
import { ChainAway, RangeRefused } from '../rpc/rpc-failures.ts'
import { LogDensity, weightOf } from './log-density.ts'
import { logsOfOneBlock, mayBeCut } from './one-block.ts'
import type { RangeSize } from './range-size.ts'
import { RefusedRanges } from './refused-ranges.ts'

/** All logs of a query behind what was read before, and up to a block. */
export type ReadLogs = { logs: ChainLog[]; through: number }

/** A part of the stretch: the unit that is asked for, answered, and handed on. */
type Piece = {
  from: number
  to: number
  state: 'open' | 'asked' | 'read'
  logs: ChainLog[]
  weight: number
  /** Times that it failed in a way that its length could explain. */
  failures: number
}

/** A piece that is being asked for. */
export type Question = { readonly piece: Piece; readonly isProbe: boolean }

/** Pieces that may be read ahead of one that is not: each is small, and a stretch can have millions. */
const PIECES_AHEAD = 64

/** A range that takes a node too long fails as a node does that is away. Once it may be that, twice it is the range. */
const FAILURES_TO_SPLIT = 2

/**
 * Reads the logs of one query in a stretch of blocks, several questions at a time, and hands them on in order. Whoever
 * has it decides when it asks (`next`, `ask`), so that several can share the questions that may be under way.
 */
export class RangeReader {
  readonly #chain: ChainReader
  readonly #query: LogQuery
  readonly #lane: ReadLane
  readonly #size: RangeSize
  readonly #density = new LogDensity()
  readonly #refused: RefusedRanges
  /** In order, without gaps; those that were handed on are gone. */
  readonly #pieces: Piece[]
  #waiting = 0

  /** @param size of the provider: what one reader finds out helps all */
  constructor(
    chain: ChainReader,
    size: RangeSize,
    { query, from, to, lane }: { query: LogQuery; from: number; to: number; lane: ReadLane },
  ) {
    this.#chain = chain
    this.#size = size
    this.#query = query
    this.#lane = lane
    this.#refused = new RefusedRanges(size)
    this.#pieces = [open(from, to)]
  }

  /** Everything was read and handed on. */
  get isDone(): boolean {
    return this.#pieces.length === 0
  }

  /** How many logs were read and not handed on, by `weightOf`. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * The next piece that nobody asks for yet; it has to be given to `ask`.
   * @param room for logs that have to wait for those of an earlier piece; the earliest piece needs none
   * @param isOnly no other question is under way whose end would be waited for
   */
  next(room: number, isOnly: boolean): Question | undefined {
    const at = this.#pieces.findIndex(({ state }) => state === 'open')
    const found = this.#pieces[at]
    if (!found) return undefined
    const most = this.#mostOf(found)
    const isAhead = at > 0
    if (isAhead && (at >= PIECES_AHEAD || this.#expected(most) > room)) return undefined
    const size = this.#size.next(most, isOnly)
    if (!size) return undefined
    const piece = this.#cut(at, found, size.blocks)
    piece.state = 'asked'
    return { piece, isProbe: size.isProbe }
  }

  /**
   * Asks for a piece. One that is refused is open again, and asked for in smaller parts.
   * @throws {ChainAway} @throws {NodeLags} @throws {BlockRefused} the piece is open again: a later `next` has it
   */
  async ask({ piece, isProbe }: Question): Promise<void> {
    const blocks = lengthOf(piece)
    try {
      const logs = await this.#logsOf(piece)
      this.#answered(piece, logs)
    } catch (error) {
      piece.state = 'open'
      if (error instanceof RangeRefused) return this.#wasRefused(piece, error.blocks)
      const mayBeItsLength = error instanceof ChainAway && error.perhapsRange && blocks > 1
      if (mayBeItsLength && ++piece.failures === FAILURES_TO_SPLIT) this.#wasRefused(piece)
      throw error
    } finally {
      if (isProbe) this.#size.probed()
    }
  }

  /** What has been read of the stretch's beginning, as far as it goes; `undefined` while its first piece is not there. */
  take(): ReadLogs | undefined {
    const missing = this.#pieces.findIndex(({ state }) => state !== 'read')
    const read = this.#pieces.splice(0, missing === -1 ? this.#pieces.length : missing)
    const last = read.at(-1)
    if (!last) return undefined
    this.#waiting = 0
    for (const { weight } of this.#pieces) this.#waiting += weight
    return { logs: read.flatMap((piece) => piece.logs), through: last.to }
  }

  /** How many logs will have to wait, once this and all that is asked for has been answered. */
  #expected(blocks: number): number {
    const asked = this.#pieces.filter(({ state }) => state === 'asked')
    return this.#density.logsIn(asked.reduce((sum, piece) => sum + lengthOf(piece), blocks))
  }

  #logsOf({ from, to }: Piece): Promise<ChainLog[]> {
    return from === to
      ? logsOfOneBlock(this.#chain, this.#query, from, this.#lane)
      : this.#chain.logs(this.#query, from, to, this.#lane)
  }

  #wasRefused(piece: Piece, hint?: number): void {
    this.#refused.add(piece, this.#size.refusedFrom)
    this.#size.refused(lengthOf(piece), hint)
  }

  #answered(piece: Piece, logs: ChainLog[]): void {
    const blocks = lengthOf(piece)
    if (blocks > 1 && mayBeCut(logs)) {
      // Its halves show whether it was.
      this.#cut(this.#pieces.indexOf(piece), piece, Math.ceil(blocks / 2)).state = 'open'
      piece.state = 'open'
      return
    }
    piece.state = 'read'
    piece.logs = logs
    piece.weight = weightOf(logs)
    this.#waiting += piece.weight
    this.#size.answered(blocks)
    this.#density.saw(blocks, piece.weight)
    this.#refused.read(piece, piece.weight)
  }

  /** How many blocks of a piece are asked for at most. */
  #mostOf(piece: Piece): number {
    const length = lengthOf(piece)
    const parts = piece.failures < FAILURES_TO_SPLIT ? 1 : 2
    const most = this.#density.blocksWith(this.#size.logs)
    return Math.min(Math.ceil(length / parts), most)
  }

  /** Takes so many blocks from the beginning of an open piece; the rest stays behind it. @returns the beginning */
  #cut(at: number, piece: Piece, blocks: number): Piece {
    if (blocks === lengthOf(piece)) return piece
    const first = open(piece.from, piece.from + blocks - 1)
    piece.from += blocks
    piece.failures = 0
    this.#pieces.splice(at, 0, first)
    return first
  }
}

function open(from: number, to: number): Piece {
  return { from, to, state: 'open', logs: [], weight: 0, failures: 0 }
}

function lengthOf({ from, to }: { from: number; to: number }): number {
  return to - from + 1
}
