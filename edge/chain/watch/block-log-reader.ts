import { readQueries } from '../backfill/read-queries.ts'
import { BlockRejectedError, isSizeRejection } from '../backfill/read-block-logs.ts'
import type { LogBatch } from '../backfill/range-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { FilterReader } from '../backfill/log-reader.ts'
import { TRANSACTION_BLOCKS_AT_ONCE, transactionReader } from '../backfill/transaction-source.ts'
import { blockMark, isInterval } from '../block-mark.ts'
import { type ChainLog, compareLogs } from '../chain-log.ts'
import { chunks } from '../../../shared/chunks.ts'
import { groupBy } from '../../../shared/group-by.ts'
import { createdContracts, creationFilter } from '../factory/created-contracts.ts'
import { packAddresses } from '../matching/address-list.ts'
import { BloomMatcher } from '../matching/bloom.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import { hasContract, listRouteKey, logRouteKey, routeKey } from '../matching/log-matching.ts'
import { halveQuery, mergeFilters, mergeForBlocks } from '../matching/merge-filters.ts'
import { TransactionSelection } from '../matching/transaction-filter.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { isOnTransactions, type TransactionsFilter } from '../transaction-mark.ts'
import { isReadFailure, NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'

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
type BlockLogs = {
  logs: ChainLog[]
  refused: Map<string, number>
  /** Logs with which factories announced new contracts. They are not in `logs`. */
  created: ChainLog[]
}

export class BlockLogReader {
  readonly #queries: readonly LogQuery[]
  readonly #routes: ReadonlySet<string>
  /** Filters with a list of addresses, by the first topic. */
  readonly #lists: ReadonlyMap<string, readonly LogFilter[]>
  readonly #filters: readonly LogFilter[]
  /** Distinct intervals of the filters for blocks. Their marks are made from the headers. */
  readonly #intervals: readonly number[]
  readonly #transactions: readonly TransactionsFilter[]
  readonly #selection: TransactionSelection
  #blooms: BloomMatcher | undefined
  readonly #factories: FactoryLogReader | undefined

  constructor(all: readonly LogFilter[]) {
    const filters = all.filter(
      (filter) => !isInterval(filter) && !isOnTransactions(filter) && !filter.factory,
    )
    if (all.some(({ factory }) => factory)) this.#factories = new FactoryLogReader(all)
    this.#intervals = [...new Set(all.filter(isInterval).map(({ every }) => every))]
    this.#transactions = all.filter(isOnTransactions)
    this.#selection = new TransactionSelection(
      this.#transactions.map(({ transactions }) => transactions),
    )
    this.#queries = mergeForBlocks(filters)
    this.#filters = filters
    this.#routes = new Set([...filters, ...this.#transactions].map(routeKey))
    this.#lists = groupBy(
      filters.filter(({ address }) => address === null),
      ({ topic0 }) => topic0,
    )
  }

  /** Queries for long ranges of blocks, which name all addresses. */
  rangeQueries(): LogQuery[] {
    return mergeFilters(this.#filters)
  }

  /** Returns readers of ranges for the filters that queries for logs do not cover. */
  rangeReaders(chain: ChainReader): FilterReader[] {
    return this.#transactions.length === 0 ? [] : [transactionReader(this.#transactions, chain)]
  }

  filterWatched(logs: readonly ChainLog[]): ChainLog[] {
    return logs.filter(
      (log) => this.#routes.has(logRouteKey(log)) || this.#isListed(log.address, log.topics[0]),
    )
  }

  #isListed(address: string, topic0: string | undefined): boolean {
    const lists = topic0 === undefined ? undefined : this.#lists.get(topic0)
    return lists !== undefined && lists.some((filter) => hasContract(filter, address))
  }

  /**
   * Returns the logs of the blocks, and the marks of blocks and transactions that triggers wait for.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   */
  async read(
    source: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<BlockLogs> {
    if (this.#factories) return this.#factories.read(source, headers)
    const { logs, refused } = await this.#readLogs(source, headers)
    const marks = headers
      .filter(({ number }) => this.#intervals.some((every) => number % every === 0))
      .map(blockMark)
    if (this.#transactions.length > 0)
      marks.push(...(await this.#readTransactions(source.reader, headers, refused)))
    const all = marks.length > 0 ? [...logs, ...marks].toSorted(compareLogs) : logs
    return { logs: all, refused, created: [] }
  }

  /** Refuses blocks whose transactions or receipts cannot be read, so that they delay only triggers on transactions. */
  async #readTransactions(
    reader: ChainReader,
    headers: readonly BlockHeader[],
    refused: BlockLogs['refused'],
  ): Promise<ChainLog[]> {
    const marks: ChainLog[] = []
    for (const some of chunks(headers, TRANSACTION_BLOCKS_AT_ONCE)) {
      try {
        marks.push(...(await reader.transactions(some, this.#selection, 'live')))
      } catch (error) {
        if (!isReadFailure(error)) throw error
        for (const header of some)
          marks.push(...(await this.#readBlockTransactions(reader, header, refused)))
      }
    }
    return marks
  }

  async #readBlockTransactions(
    reader: ChainReader,
    header: BlockHeader,
    refused: BlockLogs['refused'],
  ): Promise<ChainLog[]> {
    try {
      return await reader.transactions([header], this.#selection, 'live')
    } catch (error) {
      if (!isReadFailure(error)) throw error
      // If the nodes are unavailable or lack the block, this request fails too. If another block has taken its place, the
      // next poll follows the other branch.
      const [current] = await reader.headersOf([header.number])
      if (current!.hash !== header.hash)
        throw new NodeLaggingError(`block ${header.number} was replaced`)
      refused.set(routeKey(this.#transactions[0]!), header.number)
      return []
    }
  }

  /**
   * The logs of several blocks are requested together. If a block has no logs although its bloom filter may match, its
   * logs are requested again by hash, because a node without the block then fails instead of returning nothing. Anyone
   * can fill a block with more logs than any node returns, but the logs of other events in that block are still found.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   */
  async #readLogs(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<Omit<BlockLogs, 'created'>> {
    const refused = new Map<string, number>()
    const [first] = headers
    if (!first || this.#queries.length === 0) return { logs: [], refused }
    if (headers.length === 1)
      return { logs: await this.#readBlock(reader, first, refused), refused }
    const { logs, through, named } = await this.#readRange({ reader, size }, headers)
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

  /** Stops before a block that the provider rejects. `named` contains the blocks with logs, watched or not. */
  async #readRange(
    { reader, size }: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<LogBatch & { named: ReadonlySet<number> }> {
    const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
    const range = { from: headers[0]!.number, to: headers.at(-1)!.number }
    const lane = { lane: 'live', signal: new AbortController().signal } as const
    const logs: ChainLog[] = []
    const named = new Set<number>()
    let through = range.from - 1
    try {
      for await (const read of readQueries({ chain: reader, size }, this.#queries, range, lane)) {
        for (const { blockNumber } of read.logs) named.add(blockNumber)
        for (const log of this.filterWatched(read.logs)) logs.push(log)
        ;({ through } = read)
      }
    } catch (error) {
      // The provider rejected a block, so the caller requests the remaining blocks one by one.
      if (!(error instanceof BlockRejectedError) && !isSizeRejection(error)) throw error
    }
    const foreign = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)
    if (foreign) throw new NodeLaggingError(`block ${foreign.blockNumber} differs in the logs`)
    return { logs, through, named }
  }

  async #readBlock(
    reader: ChainReader,
    header: BlockHeader,
    refused: BlockLogs['refused'],
  ): Promise<ChainLog[]> {
    const refuse = ({ addresses, topics }: LogQuery) => {
      const address = addresses?.[0] ?? ''
      const topic0 = topics[0]![0]!
      const route = routeKey({ address, topic0 })
      const routes = this.#isListed(address, topic0) ? [route, listRouteKey(route)] : [route]
      for (const one of routes) refused.set(one, Math.max(header.number, refused.get(one) ?? 0))
    }
    const answers = await Promise.all(
      this.#queries.map((query) => readOrSplit(reader, query, header, refuse)),
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
 * Reads the logs with which factories announce contracts, and then the logs of all filters. The second request includes the
 * new contracts, so that their logs in the same blocks are found.
 */
class FactoryLogReader {
  readonly #all: readonly LogFilter[]
  readonly #creations: BlockLogReader
  #known: BlockLogReader | undefined

  constructor(all: readonly LogFilter[]) {
    this.#all = all
    const creations = all.flatMap(({ factory }) => (factory ? [creationFilter(factory)] : []))
    this.#creations = new BlockLogReader(
      [...Map.groupBy(creations, routeKey).values()].map(([filter]) => filter!),
    )
  }

  async read(
    source: { reader: ChainReader; size: RangeSize },
    headers: readonly BlockHeader[],
  ): Promise<BlockLogs> {
    const { logs: created, refused: unknown } = await this.#creations.read(source, headers)
    const reader =
      created.length > 0 ? this.#readerWith(created) : (this.#known ??= this.#readerWith([]))
    const { logs, refused } = await reader.read(source, headers)
    for (const [route, block] of unknown) refused.set(route, block)
    return { logs, refused, created }
  }

  /** Lists of known contracts are not copied. New contracts get filters of their own. */
  #readerWith(created: readonly ChainLog[]): BlockLogReader {
    const known = this.#all.map(({ factory, learned, ...filter }) =>
      factory ? { ...filter, addresses: learned!.list } : filter,
    )
    if (created.length === 0) return new BlockLogReader(known)
    const distinct = new Map(
      this.#all.flatMap(({ factory, topic0, topics }) =>
        factory ? [[JSON.stringify([factory, topic0, topics]), { factory, topic0, topics }]] : [],
      ),
    )
    const fresh = [...distinct.values()].map(({ factory, topic0, topics }) => {
      const contracts = createdContracts(factory, created).map(({ address }) => address)
      return { address: null, addresses: packAddresses(contracts), topic0, topics }
    })
    return new BlockLogReader([...known, ...fresh])
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
