import { readQueries } from '../backfill/read-queries.ts'
import { BlockRejectedError, isSizeRejection } from '../backfill/read-block-logs.ts'
import type { LogBatch } from '../backfill/range-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { type ChainLog, compareLogs } from '../chain-log.ts'
import { chunks } from '../../../shared/chunks.ts'
import { BloomMatcher } from '../matching/bloom.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import { routeKey, logRouteKey } from '../matching/log-matching.ts'
import { halveQuery, mergeFilters } from '../matching/merge-filters.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'

/** Number of blocks for which logs are requested by hash at the same time. */
const BLOCKS_AT_ONCE = 4

const EMPTY_QUERY: LogQuery = {
  addresses: [`0x${'0'.repeat(40)}`],
  topics: [[`0x${'0'.repeat(64)}`]],
}

/**
 * Logs of some blocks. A filter group may have more logs in a block than any endpoint returns. For each such group,
 * `refused` contains the highest block with too many logs. `logs` is incomplete for the group up to that block.
 */
type BlockLogs = { logs: ChainLog[]; refused: Map<string, number> }

export class BlockLogReader {
  readonly queries: readonly LogQuery[]
  readonly #routes: ReadonlySet<string>
  readonly #filters: readonly LogFilter[]
  #blooms: BloomMatcher | undefined

  constructor(filters: readonly LogFilter[]) {
    this.queries = mergeFilters(filters)
    this.#filters = filters
    this.#routes = new Set(filters.map(routeKey))
  }

  filterWatched(logs: readonly ChainLog[]): ChainLog[] {
    return logs.filter((log) => this.#routes.has(logRouteKey(log)))
  }

  /**
   * The logs of several blocks are requested together. If a block has no logs although its bloom filter may match, its
   * logs are requested again by hash, because a node without the block then fails instead of returning nothing. Anyone
   * can fill a block with more logs than any node returns, but the logs of other events in that block are still found.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   */
  async read(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<BlockLogs> {
    const refused = new Map<string, number>()
    const [first] = headers
    if (!first || this.queries.length === 0) return { logs: [], refused }
    if (headers.length === 1)
      return { logs: await this.#readBlock(reader, first, refused), refused }
    const { logs, through } = await this.#readRange({ reader, size }, headers)
    const named = new Set(logs.map(({ blockNumber }) => blockNumber))
    this.#blooms ??= new BloomMatcher(this.#filters)
    const suspicious = headers.filter(
      ({ number, logsBloom }) =>
        number > through || (!named.has(number) && this.#blooms!.mayMatch(logsBloom)),
    )
    for (const some of chunks(suspicious, BLOCKS_AT_ONCE)) {
      const found = await Promise.all(
        some.map((header) => this.#readBlock(reader, header, refused)),
      )
      logs.push(...found.flat())
    }
    return { logs: logs.toSorted(compareLogs), refused }
  }

  /** Stops before a block that the provider rejects. */
  async #readRange(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<LogBatch> {
    const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
    const range = { from: headers[0]!.number, to: headers.at(-1)!.number }
    const lane = { lane: 'live', signal: new AbortController().signal } as const
    const logs: ChainLog[] = []
    let through = range.from - 1
    try {
      for await (const read of readQueries({ chain: reader, size }, this.queries, range, lane)) {
        for (const log of this.filterWatched(read.logs)) logs.push(log)
        ;({ through } = read)
      }
    } catch (error) {
      // The provider rejected a block, so the caller requests the remaining blocks one by one.
      if (!(error instanceof BlockRejectedError) && !isSizeRejection(error)) throw error
    }
    const foreign = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)
    if (foreign) throw new NodeLaggingError(`block ${foreign.blockNumber} differs in the logs`)
    return { logs, through }
  }

  async #readBlock(
    reader: ChainReader,
    header: BlockHeader,
    refused: BlockLogs['refused'],
  ): Promise<ChainLog[]> {
    const refuse = ({ addresses, topics }: LogQuery) => {
      const route = routeKey({ address: addresses[0]!, topic0: topics[0]![0]! })
      refused.set(route, Math.max(header.number, refused.get(route) ?? 0))
    }
    const answers = await Promise.all(
      this.queries.map((query) => readOrSplit(reader, query, header, refuse)),
    )
    const logs = this.filterWatched(answers.flat())
    if (logs.some(({ blockHash }) => blockHash !== header.hash))
      throw new NodeLaggingError(`block ${header.number} differs in the logs`)
    // Responses may overlap, so duplicate logs are removed.
    const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
    return [...byIndex.values()].toSorted(compareLogs)
  }
}

/**
 * Reads the logs of a block. If no endpoint returns them all in one response, splits the query, if necessary down to
 * one event of one contract.
 */
async function readOrSplit(
  reader: ChainReader,
  query: LogQuery,
  header: BlockHeader,
  refuse: (query: LogQuery) => void,
): Promise<ChainLog[]> {
  try {
    return await reader.logsOfBlock(query, header)
  } catch (error) {
    if (!isSizeRejection(error)) throw error
    // This request also fails if the node is unavailable. If it succeeds, the original query was too large.
    await reader.logsOfBlock(EMPTY_QUERY, header)
  }
  const halves = halveQuery(query)
  if (!halves) {
    refuse(query)
    return []
  }
  const logs: ChainLog[] = []
  for (const half of halves)
    for (const log of await readOrSplit(reader, half, header, refuse)) logs.push(log)
  return logs
}
