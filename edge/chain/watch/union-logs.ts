import { readUnion } from '../backfill/union-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import type { BlockHeader } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import { WatchedBlooms } from '../matching/bloom.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import { routeOf, routeOfLog } from '../matching/matches.ts'
import { halvesOf, unionOf } from '../matching/union.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLags, RangeRefused } from '../rpc/rpc-failures.ts'

/** Blocks that are asked for by their hashes at once. */
const BLOCKS_AT_ONCE = 4

/** What all of some filters want of blocks whose headers are known. */
export class UnionLogs {
  readonly queries: readonly LogQuery[]
  readonly #routes: ReadonlySet<string>
  readonly #filters: readonly LogFilter[]
  #blooms: WatchedBlooms | undefined

  constructor(filters: readonly LogFilter[]) {
    this.queries = unionOf(filters)
    this.#filters = filters
    this.#routes = new Set(filters.map(routeOf))
  }

  /** Those that one of the filters may match. */
  wanted(logs: readonly ChainLog[]): ChainLog[] {
    return logs.filter((log) => this.#routes.has(routeOfLog(log)))
  }

  /**
   * The logs of linked blocks. Each is of the very block whose header it is read for. Of several blocks it is asked at once;
   * a block that is left out of such an answer although its bloom could hold something is asked for by its hash: a node
   * that does not have it then fails, and does not say that there is nothing.
   * @throws {ChainAway} @throws {NodeLags} @throws {BlockRefused} @throws {RangeRefused}
   */
  async of(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<ChainLog[]> {
    const [first] = headers
    if (!first || this.queries.length === 0) return []
    if (headers.length === 1) return this.#ofBlock(reader, first)
    const logs = await this.#ofRange({ reader, size }, headers)
    const named = new Set(logs.map(({ blockNumber }) => blockNumber))
    this.#blooms ??= new WatchedBlooms(this.#filters)
    const suspicious = headers.filter(
      ({ number, logsBloom }) => !named.has(number) && this.#blooms!.mayHoldAny(logsBloom),
    )
    for (let at = 0; at < suspicious.length; at += BLOCKS_AT_ONCE) {
      const some = suspicious.slice(at, at + BLOCKS_AT_ONCE)
      const found = await Promise.all(some.map((header) => this.#ofBlock(reader, header)))
      logs.push(...found.flat())
    }
    return logs.toSorted(inOrder)
  }

  async #ofRange(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<ChainLog[]> {
    const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
    const range = { from: headers[0]!.number, to: headers.at(-1)!.number }
    const lane = { lane: 'live', signal: new AbortController().signal } as const
    const logs: ChainLog[] = []
    for await (const read of readUnion({ chain: reader, size }, this.queries, range, lane))
      logs.push(...this.wanted(read.logs))
    const foreign = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)
    if (foreign) throw new NodeLags(`block ${foreign.blockNumber} is another one in the logs`)
    return logs
  }

  async #ofBlock(reader: ChainReader, header: BlockHeader): Promise<ChainLog[]> {
    const answers = await Promise.all(
      this.queries.map((query) => logsOfBlock(reader, query, header)),
    )
    const logs = this.wanted(answers.flat())
    if (logs.some(({ blockHash }) => blockHash !== header.hash))
      throw new NodeLags(`block ${header.number} is another one in the logs`)
    // What is in several answers is there once.
    const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
    return [...byIndex.values()].toSorted(inOrder)
  }
}

/** A block with more logs than an endpoint gives at once is asked for in parts of the union. */
async function logsOfBlock(
  reader: ChainReader,
  query: LogQuery,
  header: BlockHeader,
): Promise<ChainLog[]> {
  try {
    return await reader.logsOfBlock(query, header)
  } catch (error) {
    const halves = error instanceof RangeRefused ? halvesOf(query) : undefined
    if (!halves) throw error
    const [some, rest] = halves
    return [
      ...(await logsOfBlock(reader, some, header)),
      ...(await logsOfBlock(reader, rest, header)),
    ]
  }
}

function inOrder(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
