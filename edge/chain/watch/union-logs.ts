import { readUnion } from '../backfill/union-reader.ts'
import { BlockRefused, isRefusal } from '../backfill/one-block.ts'
import type { ReadLogs } from '../backfill/range-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import type { BlockHeader } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import { WatchedBlooms } from '../matching/bloom.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import { routeOf, routeOfLog } from '../matching/matches.ts'
import { halvesOf, unionOf } from '../matching/union.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLags } from '../rpc/rpc-failures.ts'

/** Blocks that are asked for by their hashes at once. */
const BLOCKS_AT_ONCE = 4

/** A question that no log matches. */
const NOTHING: LogQuery = { addresses: [`0x${'0'.repeat(40)}`], topics: [[`0x${'0'.repeat(64)}`]] }

/**
 * @property refused routes whose logs nobody gives, since there are too many of them in a block, with the highest such
 *   block: up to there, those of `logs` are not all of them
 */
export type LookedUp = { logs: ChainLog[]; refused: Map<string, number> }

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
   * that does not have it then fails, and does not say that there is nothing. Anybody can fill a block with so many logs
   * that no node gives them: what others want of it is there all the same.
   * @throws {ChainAway} @throws {NodeLags}
   */
  async of(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<LookedUp> {
    const refused = new Map<string, number>()
    const [first] = headers
    if (!first || this.queries.length === 0) return { logs: [], refused }
    if (headers.length === 1) return { logs: await this.#ofBlock(reader, first, refused), refused }
    const { logs, through } = await this.#ofRange({ reader, size }, headers)
    const named = new Set(logs.map(({ blockNumber }) => blockNumber))
    this.#blooms ??= new WatchedBlooms(this.#filters)
    const suspicious = headers.filter(
      ({ number, logsBloom }) =>
        number > through || (!named.has(number) && this.#blooms!.mayHoldAny(logsBloom)),
    )
    for (let at = 0; at < suspicious.length; at += BLOCKS_AT_ONCE) {
      const some = suspicious.slice(at, at + BLOCKS_AT_ONCE)
      const found = await Promise.all(some.map((header) => this.#ofBlock(reader, header, refused)))
      logs.push(...found.flat())
    }
    return { logs: logs.toSorted(inOrder), refused }
  }

  /** Up to the last block before one that is refused. */
  async #ofRange(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<ReadLogs> {
    const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
    const range = { from: headers[0]!.number, to: headers.at(-1)!.number }
    const lane = { lane: 'live', signal: new AbortController().signal } as const
    const logs: ChainLog[] = []
    let through = range.from - 1
    try {
      for await (const read of readUnion({ chain: reader, size }, this.queries, range, lane)) {
        for (const log of this.wanted(read.logs)) logs.push(log)
        ;({ through } = read)
      }
    } catch (error) {
      // What is behind that is asked for block by block.
      if (!(error instanceof BlockRefused) && !isRefusal(error)) throw error
    }
    const foreign = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)
    if (foreign) throw new NodeLags(`block ${foreign.blockNumber} is another one in the logs`)
    return { logs, through }
  }

  async #ofBlock(
    reader: ChainReader,
    header: BlockHeader,
    refused: LookedUp['refused'],
  ): Promise<ChainLog[]> {
    const refuse = ({ addresses, topics }: LogQuery) => {
      const route = routeOf({ address: addresses[0]!, topic0: topics[0]![0]! })
      refused.set(route, Math.max(header.number, refused.get(route) ?? 0))
    }
    const answers = await Promise.all(
      this.queries.map((query) => logsOfBlock(reader, query, header, refuse)),
    )
    const logs = this.wanted(answers.flat())
    if (logs.some(({ blockHash }) => blockHash !== header.hash))
      throw new NodeLags(`block ${header.number} is another one in the logs`)
    // What is in several answers is there once.
    const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
    return [...byIndex.values()].toSorted(inOrder)
  }
}

/** A block with more logs than an endpoint gives at once is asked for in parts of the union, down to single events. */
async function logsOfBlock(
  reader: ChainReader,
  query: LogQuery,
  header: BlockHeader,
  refuse: (query: LogQuery) => void,
): Promise<ChainLog[]> {
  try {
    return await reader.logsOfBlock(query, header)
  } catch (error) {
    if (!isRefusal(error)) throw error
    // A node that is away fails here too.
    await reader.logsOfBlock(NOTHING, header)
  }
  const halves = halvesOf(query)
  if (!halves) {
    refuse(query)
    return []
  }
  const logs: ChainLog[] = []
  for (const half of halves)
    for (const log of await logsOfBlock(reader, half, header, refuse)) logs.push(log)
  return logs
}

function inOrder(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
