/**
 * What the watcher reads of a chain. The answers have been checked against what was asked, and against themselves. All
 * throw `ChainAway` where no endpoint answers usably; each endpoint is asked at most once.
 */
import type { BlockHeader, Tip } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'

/** Live questions never wait for those of backfills. */
export type ReadLane = 'live' | 'backfill'

export interface ChainReader {
  /**
   * One request: the latest header, with the tagged ones that were asked for; of the endpoint that is preferred now, or
   * one that serves the tags. A tag that none serves is `null`, and no failure.
   */
  tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip>
  /** Headers of a stretch, each the child of the one before it. @throws {NodeLags} where the node has not got them all */
  headers(from: number, to: number): Promise<BlockHeader[]>
  /** Headers of single blocks, by their numbers. @throws {NodeLags} */
  headersOf(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * The logs of a stretch, in order of block and index, each with its block's time and its ordinal. Checked: shape, range,
   * query, order, one hash a block; the node has `to`.
   * @throws {RangeRefused} the provider wants a smaller range @throws {NodeLags}
   * @throws {ChainAway} with `perhapsRange` where a smaller range may be answered
   */
  logs(query: LogQuery, from: number, to: number, lane: ReadLane): Promise<ChainLog[]>
  /** The logs of one block by its hash: a node that does not have this block fails. @throws {NodeLags} */
  logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]>
  health(): EndpointHealth[]
}

/** An endpoint as `GET /api/chains` shows it: by its place in the list, never by its URL. */
export type EndpointHealth = {
  endpoint: number
  state: 'healthy' | 'lagging' | 'failing' | 'wrong_chain' | 'unknown'
  /** The head that it last told of. */
  head: number | null
  /** Median of its latest answers. */
  latencyMs: number | null
  /** Of which class its last failure was; no text of the provider's, which can hold keys. */
  lastFailure: string | null
}
