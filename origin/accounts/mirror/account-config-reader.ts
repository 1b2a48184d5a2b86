import { toQuantity } from 'ethers'
import { type BloomBits, bloomBits, bloomHasBits } from '../../../shared/crypto/bloom.ts'
import { accountConfig, type ContractChain } from '../chain.ts'
import type { AccountEvent } from './apply-event.ts'
import { RpcBatch } from './rpc-batch.ts'

export type BlockId = { number: number; hash: string }
export type ChainHeader = BlockId & { parentHash: string; logsBloom: string }

export type LoggedEvent = AccountEvent & { block: BlockId }

/**
 * Thrown if a node's response is inconsistent or incomplete, for example because the node lags, mixes branches, or
 * returns null. The next poll tries again.
 */
export class UnusableResponseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnusableResponseError'
  }
}

/** Calls made in the same tick are sent as one batch to a single node. */
export class AccountConfigReader {
  readonly #rpc: RpcBatch
  readonly #contractBlock: number
  readonly #address: string
  readonly #addressBits: BloomBits
  /**
   * True if bloom filters are used to skip blocks without events. Some chains leave bloom filters empty, so they are
   * used only if the filter of the deployment block includes the contract.
   */
  #hasBlooms = false
  highestHead = -1

  constructor(chain: ContractChain) {
    this.#rpc = new RpcBatch(chain.provider._getConnection())
    this.#contractBlock = chain.contractBlock
    this.#address = chain.contractAddress.toLowerCase()
    this.#addressBits = bloomBits(this.#address)
  }

  /**
   * Must be called before any other method.
   * @throws {UnusableResponseError} if the contract does not exist
   */
  async requireContract(): Promise<void> {
    const [code, first] = await Promise.all([
      this.#rpc.send('eth_getCode', [this.#address, 'latest']),
      this.header(this.#contractBlock),
    ])
    if (typeof code !== 'string' || code.length <= 2)
      throw new UnusableResponseError('no contract is deployed at that address')
    this.#hasBlooms = bloomHasBits(first.logsBloom, this.#addressBits)
  }

  async head(): Promise<ChainHeader> {
    const head = parseHeader(await this.#rpc.send('eth_getBlockByNumber', ['latest', false]))
    this.highestHead = Math.max(this.highestHead, head.number)
    return head
  }

  /** @throws {UnusableResponseError} if the node does not have the block yet, or no longer has it */
  async header(number: number): Promise<ChainHeader> {
    const header = parseHeader(
      await this.#rpc.send('eth_getBlockByNumber', [toQuantity(number), false]),
    )
    if (header.number !== number)
      throw new UnusableResponseError(
        `requested block ${number}, but the node returned ${header.number}`,
      )
    return header
  }

  headers(from: number, to: number): Promise<ChainHeader[]> {
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    return Promise.all(numbers.map((number) => this.header(number)))
  }

  mayContainLogs(header: ChainHeader): boolean {
    return !this.#hasBlooms || bloomHasBits(header.logsBloom, this.#addressBits)
  }

  /**
   * Returns the events of one block, requested by the block's hash. A node that does not have the block normally
   * returns an error, but might return an empty list. The same batch therefore also requests the block itself, which
   * must be found.
   */
  async eventsOf(block: BlockId): Promise<LoggedEvent[]> {
    const [logs, known] = await Promise.all([
      this.#logs({ blockHash: block.hash }),
      this.#rpc.send('eth_getBlockByHash', [block.hash, false]),
    ])
    if (parseHeader(known).hash !== block.hash)
      throw new UnusableResponseError(`the node does not know block ${block.number} by its hash`)
    for (const log of logs) {
      if (log.block.hash !== block.hash || log.block.number !== block.number)
        throw new UnusableResponseError(
          `requested logs of block ${block.number}, but the node returned logs of another block`,
        )
    }
    return logs
  }

  /** The range is inclusive. Checks the block numbers in the response, but not the hashes. */
  async eventsIn(from: number, to: number): Promise<LoggedEvent[]> {
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
    const events = await this.#logs(range)
    for (const { block } of events) {
      if (block.number < from || block.number > to)
        throw new UnusableResponseError('the node returned logs of blocks that were not requested')
    }
    return events
  }

  async #logs(filter: object): Promise<LoggedEvent[]> {
    const answer = await this.#rpc.send('eth_getLogs', [{ address: this.#address, ...filter }])
    if (!Array.isArray(answer))
      throw new UnusableResponseError('the node did not return a list of logs')
    const logs = answer.map((log) => this.#parseLog(log))
    logs.sort((a, b) => a.block.number - b.block.number || a.index - b.index)
    return logs.flatMap(({ block, event }) => (event ? [{ block, ...event }] : []))
  }

  #parseLog(log: any) {
    if (log?.removed || String(log?.address).toLowerCase() !== this.#address)
      throw new UnusableResponseError('the node returned a log that was not requested')
    const parsed = accountConfig.parseLog(log)
    return {
      block: { number: Number(log.blockNumber), hash: parseHash(log.blockHash) },
      index: Number(log.logIndex),
      event: parsed && { name: parsed.name, args: parsed.args.toObject(false) },
    }
  }
}

function parseHeader(answer: unknown): ChainHeader {
  const block = answer as Record<string, unknown> | null
  if (!block) throw new UnusableResponseError('the node is missing a block')
  const number = Number(block.number ?? Number.NaN)
  if (!Number.isSafeInteger(number)) throw new UnusableResponseError('a block has no number')
  const logsBloom = String(block.logsBloom)
  if (!/^0x[0-9a-f]{512}$/i.test(logsBloom)) throw new UnusableResponseError('a block has no bloom')
  return { number, hash: parseHash(block.hash), parentHash: parseHash(block.parentHash), logsBloom }
}

function parseHash(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value))
    throw new UnusableResponseError('a block or log has no hash')
  return value.toLowerCase()
}
