/**
 * Chain access for the watcher. Responses are checked against the request and for consistency. All methods throw
 * `ChainAway` if no endpoint returns a usable response. Each endpoint is tried at most once per call.
 */
import type { BlockHeader, Tip } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'

/** Priority of a request. Live requests never wait for backfill requests. */
export type ReadLane = 'live' | 'backfill'

export interface ChainReader {
  /**
   * Fetches the header of the latest block and the headers for the given tags in one request. Uses the preferred
   * endpoint, or another one that serves the tags. A tag that no endpoint serves is null in the result.
   */
  tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip>
  /**
   * Fetches the headers of a range of blocks. Each block is the child of the one before it.
   * @throws {NodeLags} if the node does not have all of the blocks
   */
  headers(from: number, to: number): Promise<BlockHeader[]>
  /**
   * Fetches the headers of individual blocks by number.
   * @throws {NodeLags}
   */
  headersOf(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * Fetches the logs of a range of blocks in order of block and index, with block times and ordinals. Checks that the
   * logs are well-formed, that they match the range and the query, that there is one hash per block, and that the node
   * has block `to`.
   * @throws {RangeRefused} if the provider wants a smaller range
   * @throws {NodeLags}
   * @throws {ChainAway} with `perhapsRange` if a smaller range may succeed
   */
  logs(query: LogQuery, from: number, to: number, lane: ReadLane): Promise<ChainLog[]>
  /**
   * Fetches the logs of one block by its hash. The request fails if the node does not have the block.
   * @throws {NodeLags}
   */
  logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]>
  health(): EndpointHealth[]
}

/**
 * Health of an endpoint, as shown by `GET /api/chains`. The endpoint is identified by its index in the configured list,
 * never by its URL.
 */
export type EndpointHealth = {
  endpoint: number
  state: 'healthy' | 'lagging' | 'failing' | 'wrong_chain' | 'unknown'
  head: number | null
  /** Median latency of the endpoint's latest responses in milliseconds; null before the first response. */
  latencyMs: number | null
  /**
   * Kind of the endpoint's last failure; null if there was no failure. Never contains text from the provider, which can
   * include keys.
   */
  lastFailure: string | null
}
