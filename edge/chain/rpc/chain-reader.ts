/**
 * Chain access for the watcher. Responses are checked against the request and for consistency. All methods throw
 * `ChainAway` if no endpoint returns a usable response. Each endpoint is tried at most once per call.
 */
import type { BlockHeader, Tip } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'

/** Live reads never wait for backfill reads. */
export type ReadLane = 'live' | 'backfill'

export interface ChainReader {
  /**
   * Fetches the latest header and the requested tagged headers in one request, from the preferred endpoint or one that
   * serves the tags. A tag that no endpoint serves is null, not an error.
   */
  tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip>
  /**
   * Fetches the headers of a range, each the child of the one before.
   * @throws {NodeLags} if the node does not have all of them
   */
  headers(from: number, to: number): Promise<BlockHeader[]>
  /**
   * Fetches single headers by block number.
   * @throws {NodeLags}
   */
  headersOf(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * Fetches the logs of a range in order of block and index, with block times and ordinals. Checks shape, range, query,
   * order, one hash per block, and that the node has block `to`.
   * @throws {RangeRefused} if the provider wants a smaller range
   * @throws {NodeLags}
   * @throws {ChainAway} with `perhapsRange` if a smaller range may succeed
   */
  logs(query: LogQuery, from: number, to: number, lane: ReadLane): Promise<ChainLog[]>
  /**
   * Fetches the logs of one block by its hash, which fails on a node that does not have this block.
   * @throws {NodeLags}
   */
  logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]>
  health(): EndpointHealth[]
}

/** An endpoint as shown by `GET /api/chains`, identified by its index in the list and never by its URL. */
export type EndpointHealth = {
  endpoint: number
  state: 'healthy' | 'lagging' | 'failing' | 'wrong_chain' | 'unknown'
  head: number | null
  /** Median over its latest responses. */
  latencyMs: number | null
  /** Class of its last failure. Never contains the provider's text, which can include keys. */
  lastFailure: string | null
}
