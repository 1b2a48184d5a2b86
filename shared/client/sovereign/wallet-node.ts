import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { abortable } from '../abortable.ts'
import { isRevert, revertDataOf } from './provider-errors.ts'
import type { WalletAdapter } from './signer.ts'
import { ChainUnavailable } from './transaction-failures.ts'

export type EthCall = { from: string; to: string; data: string }
export type TransactionLog = { address: string; topics: readonly string[]; data: string }
export type TransactionReceipt = {
  blockNumber: number
  succeeded: boolean
  logs: readonly TransactionLog[]
}
export type SentTransaction = {
  hash: string
  from: string
  to: string | null
  input: string
  nonce: number
}

/** A call reverted. `data` is the contract's revert data, or undefined if there is no such data. */
export class RevertedError extends Error {
  readonly data: string | undefined
  constructor(data: string | undefined) {
    super('the call reverted')
    this.name = 'RevertedError'
    this.data = data
  }
}

/** Maximum attempts of a read. Nodes behind one address can be a few blocks apart, and occasionally drop a request. */
const ATTEMPTS_MAX = 7
const FIRST_WAIT_MS = 100

export class WalletNode {
  readonly #wallet: WalletAdapter
  readonly #sleep: RuntimeEnvironment['sleep']
  /** Highest block that mined one of this client's writes. Later reads use this block or a later one. */
  #latestBlock = -1

  constructor(wallet: WalletAdapter, sleep: RuntimeEnvironment['sleep']) {
    this.#wallet = wallet
    this.#sleep = sleep
  }

  advanceTo(block: number): void {
    this.#latestBlock = Math.max(this.#latestBlock, block)
  }

  /** @throws {RevertedError | ChainUnavailable} */
  async call(call: EthCall, signal?: AbortSignal): Promise<string> {
    return this.#readLatest((block) => this.#request('eth_call', [call, block]), signal)
  }

  /** @throws {RevertedError | ChainUnavailable} */
  async estimate(call: EthCall, signal?: AbortSignal): Promise<bigint> {
    const gas = await this.#readLatest(
      (block) => this.#request('eth_estimateGas', [call, block]),
      signal,
    )
    return BigInt(gas)
  }

  async hasCode(address: string, signal?: AbortSignal): Promise<boolean> {
    const ask = (block: string) => this.#request('eth_getCode', [address, block])
    return (await this.#readLatest(ask, signal)).length > 2
  }

  /**
   * Returns the revert of a call at a block. Undefined if the call does not revert, or if the node does not have the
   * block.
   */
  async revertAt(call: EthCall, block: number): Promise<RevertedError | undefined> {
    try {
      await this.#request('eth_call', [call, hexQuantity(block)])
      return undefined
    } catch (error) {
      return isRevert(error) ? new RevertedError(revertDataOf(error)) : undefined
    }
  }

  async blockNumber(): Promise<number> {
    return Number(await this.#request('eth_blockNumber', []))
  }

  /** Undefined while the transaction is not mined. */
  async receipt(transaction: string): Promise<TransactionReceipt | undefined> {
    const found: any = await this.#wallet.read('eth_getTransactionReceipt', [transaction])
    if (found?.blockNumber == null) return undefined
    const { blockNumber, status, logs } = found
    return { blockNumber: Number(blockNumber), succeeded: BigInt(status) === 1n, logs }
  }

  /** Undefined if the node does not have the transaction. */
  async transaction(hash: string): Promise<SentTransaction | undefined> {
    return parseTransaction(await this.#wallet.read('eth_getTransactionByHash', [hash]))
  }

  async minedTransactionCount(address: string): Promise<number> {
    return Number(await this.#request('eth_getTransactionCount', [address, 'latest']))
  }

  /** Empty if the node does not have the block. */
  async transactionsIn(block: number): Promise<SentTransaction[]> {
    const found: any = await this.#wallet.read('eth_getBlockByNumber', [hexQuantity(block), true])
    const transactions: unknown[] = found?.transactions ?? []
    return transactions.flatMap((transaction) => parseTransaction(transaction) ?? [])
  }

  /** Executes a read at the node's latest block, or at a newer block that this client has seen. */
  async #readLatest(
    ask: (block: string) => Promise<string>,
    signal?: AbortSignal,
  ): Promise<string> {
    const now = async () => {
      if (this.#latestBlock < 0) return ask('latest')
      return ask(hexQuantity(Math.max(this.#latestBlock, await this.blockNumber())))
    }
    for (let tries = 1, waitMs = FIRST_WAIT_MS; ; tries++, waitMs *= 2) {
      try {
        return await abortable(now(), signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (isRevert(error)) throw new RevertedError(revertDataOf(error))
        if (tries === ATTEMPTS_MAX) throw new ChainUnavailable('several attempts failed')
      }
      await this.#sleep(waitMs, signal)
    }
  }

  async #request(method: string, params: readonly unknown[]): Promise<string> {
    const answer = await this.#wallet.read(method, params)
    if (typeof answer !== 'string') throw new Error(`the response to ${method} is not a string`)
    return answer
  }
}

export const hexQuantity = (value: number | bigint) => `0x${value.toString(16)}`

function parseTransaction(found: any): SentTransaction | undefined {
  if (typeof found?.hash !== 'string') return undefined
  const { hash, from, to, input, nonce } = found
  return { hash, from, to: to ?? null, input, nonce: Number(nonce) }
}
