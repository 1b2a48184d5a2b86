/**
 * Responses are checked against the request and for consistency. All methods throw `ChainUnreachableError` if no endpoint returns a
 * usable response, after trying each endpoint at most once.
 */
import type { BlockHeader, Tip } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'

/** Live requests never wait for backfill requests. */
export type ReadPriority = 'live' | 'backfill'

export interface ChainReader {
  /**
   * One request to the preferred endpoint, or another one that serves the tags. A tag that no endpoint serves is null
   * in the result.
   */
  tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip>
  /**
   * Each block is the child of the one before it.
   * @throws {NodeLaggingError} if the node does not have all of the blocks
   */
  headers(from: number, to: number): Promise<BlockHeader[]>
  /** @throws {NodeLaggingError} */
  headersOf(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * In order of block and index, with block times and ordinals. Checks that the logs are well-formed, that they match
   * the range and the query, that there is one hash per block, and that the node has block `to`.
   * @throws {RangeRejectedError} if the provider wants a smaller range
   * @throws {NodeLaggingError}
   * @throws {ChainUnreachableError} with `perhapsRange` if a smaller range may succeed
   */
  logs(query: LogQuery, from: number, to: number, priority: ReadPriority): Promise<ChainLog[]>
  /**
   * Requests by hash, so the request fails if the node does not have the block.
   * @throws {NodeLaggingError}
   */
  logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]>
  health(): EndpointHealth[]
}

/** Chain reads that a preview needs in addition to logs. */
export interface ContractReader {
  /**
   * Checks the latest block.
   * @throws {ChainUnreachableError}
   */
  hasCode(address: string): Promise<boolean>
}

/** Shown by `GET /api/chains`. `endpoint` is an index in the configured list, never a URL. */
export type EndpointHealth = {
  endpoint: number
  state: 'healthy' | 'lagging' | 'failing' | 'wrong_chain' | 'unknown'
  head: number | null
  /** Median of the latest responses; null before the first one. */
  latencyMs: number | null
  /** Kind; null if there was no failure. Never contains text from the provider, which can include keys. */
  lastFailure: string | null
}
