import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { badResponse } from '../../../shared/rpc/endpoint-error.ts'
import type { Endpoint } from '../../../shared/rpc/endpoint.ts'
import { encodeQuantity, parseHex, parseQuantity } from '../../../shared/rpc/quantities.ts'
import { headerByHashCall, headerCall, parseBlockHeader } from '../../../shared/rpc/read-header.ts'
import { accountConfig } from '../chain.ts'
import type { AccountEvent } from './apply-event.ts'
import { RpcBatch } from './rpc-batch.ts'

export type BlockId = Pick<BlockHeader, 'number' | 'hash'>

/**
 * `raw` contains all parts of the log that the event is decoded from. `transaction` is the hash of the log's transaction
 * in lower case.
 */
export type LoggedEvent = AccountEvent & { block: BlockId; raw: string; transaction: string }

/**
 * Reads the contract from one node. Calls made in the same tick are sent as one batch.
 *
 * Every method throws `NodeLaggingError` if the node does not have a block, and `EndpointError` if its response is
 * inconsistent or missing.
 */
export class AccountConfigReader {
  readonly #rpc: RpcBatch
  readonly #address: string

  /** @param address lower-case address of the contract */
  constructor(endpoint: Endpoint, address: string) {
    this.#rpc = new RpcBatch(endpoint)
    this.#address = address
  }

  async hasContract(): Promise<boolean> {
    const code = await this.#rpc.send({ method: 'eth_getCode', params: [this.#address, 'latest'] })
    return parseHex(code, 'the code') !== '0x'
  }

  async head(): Promise<BlockHeader> {
    return parseBlockHeader(await this.#rpc.send(headerCall('latest')))
  }

  async header(number: number): Promise<BlockHeader> {
    const header = parseBlockHeader(await this.#rpc.send(headerCall(number)))
    if (header.number !== number) throw badResponse('a block that was not requested')
    return header
  }

  headers(from: number, to: number): Promise<BlockHeader[]> {
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    return Promise.all(numbers.map((number) => this.header(number)))
  }

  /**
   * Returns the events of one block, requested by the block's hash. A node that does not have the block normally
   * returns an error, but might return an empty list. The same batch therefore also requests the block itself, which
   * must be found.
   */
  async eventsOf(block: BlockId): Promise<LoggedEvent[]> {
    const [known, events] = await Promise.all([
      this.#rpc.send(headerByHashCall(block.hash)),
      this.#events({ blockHash: block.hash }),
    ])
    if (parseBlockHeader(known).hash !== block.hash)
      throw badResponse('a block that was not requested')
    for (const event of events)
      if (event.block.hash !== block.hash || event.block.number !== block.number)
        throw badResponse('logs of a block that was not requested')
    return events
  }

  /** The range is inclusive. Checks the block numbers in the response, but not the hashes. */
  async eventsIn(from: number, to: number): Promise<LoggedEvent[]> {
    const range = { fromBlock: encodeQuantity(from), toBlock: encodeQuantity(to) }
    const events = await this.#events(range)
    for (const { block } of events)
      if (block.number < from || block.number > to)
        throw badResponse('logs of a block that was not requested')
    return events
  }

  async #events(filter: object): Promise<LoggedEvent[]> {
    const params = [{ address: this.#address, ...filter }]
    const answer = await this.#rpc.send({ method: 'eth_getLogs', params })
    if (!Array.isArray(answer)) throw badResponse('the logs are not an array')
    const logs = answer.map((log) => this.#parseLog(log))
    logs.sort((a, b) => a.block.number - b.block.number || a.index - b.index)
    return logs.flatMap(({ block, event, raw, transaction }) =>
      event ? [{ block, raw, transaction, ...event }] : [],
    )
  }

  #parseLog(log: any) {
    if (log?.removed) throw new NodeLaggingError('the node is leaving a branch of the chain')
    if (String(log?.address).toLowerCase() !== this.#address)
      throw badResponse('a log that was not requested')
    const block = {
      number: parseQuantity(log.blockNumber, "a log's block number"),
      hash: parseHex(log.blockHash, "a log's block hash", 32),
    }
    const index = parseQuantity(log.logIndex, "a log's index")
    const parsed = accountConfig.parseLog(log)
    return {
      block,
      index,
      raw: JSON.stringify([block, index, log.topics, log.data]).toLowerCase(),
      transaction: String(log.transactionHash).toLowerCase(),
      event: parsed && { name: parsed.name, args: parsed.args.toObject(false) },
    }
  }
}
