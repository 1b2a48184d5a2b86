/**
 * Interface for reading a chain. All responses are checked against the request and for consistency. Every method tries
 * each endpoint at most once, and throws `ChainUnreachableError` if no endpoint returns a usable response.
 */
import type { BlockHeader, Tip } from '../../../shared/rpc/block-header.ts'
import type { EndpointHealth, ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { TransactionSelection } from '../matching/transaction-filter.ts'
import type { BlockToRead } from './request-transactions.ts'

export interface ChainReader {
  /**
   * Returns the chain's newest blocks. Sends one request to the preferred endpoint, or to another endpoint that serves
   * the tags. A tag that no endpoint serves is null in the result.
   */
  tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip>
  /**
   * Returns a range of block headers, each of them the child of the previous one.
   * @throws {NodeLaggingError} if the node does not have all of the blocks
   */
  headers(from: number, to: number): Promise<BlockHeader[]>
  /**
   * @param priority `live` by default
   * @throws {NodeLaggingError} if the node does not have all of the blocks
   */
  headersOf(numbers: readonly number[], priority?: ReadPriority): Promise<BlockHeader[]>
  /**
   * Returns logs in order of block and index, with block times and ordinals. Checks that the logs are well-formed, that
   * they match the range and the query, that each block has one hash, and that the node has block `to`.
   * @throws {RangeRejectedError} if the provider accepts only a smaller range
   * @throws {NodeLaggingError}
   * @throws {ChainUnreachableError} with `perhapsRange` if a smaller range may succeed
   */
  logs(query: LogQuery, from: number, to: number, priority: ReadPriority): Promise<ChainLog[]>
  /**
   * Returns the logs of one block. Requests them by block hash, so that the request fails if the node does not have the
   * block.
   * @throws {NodeLaggingError}
   */
  logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]>
  /**
   * Returns marks of the selected transactions in the blocks, in order (`transaction-mark.ts`).
   * @throws {NodeLaggingError} if the node does not have one of the blocks
   * @throws {ChainUnreachableError} with `perhapsRange` if fewer blocks may succeed
   */
  transactions(
    blocks: readonly BlockToRead[],
    selection: TransactionSelection,
    priority: ReadPriority,
  ): Promise<ChainLog[]>
  health(): EndpointHealth[]
}

export interface ContractReader {
  /**
   * Returns true if the address has code in the latest block.
   * @throws {ChainUnreachableError}
   */
  hasCode(address: string): Promise<boolean>
}
