/** Reads from a node of the chain, through the wallet. */
import type { Surroundings } from '../surroundings.ts'
import { orAborted } from './aborted.ts'
import { isRevert, revertDataIn } from './refusals.ts'
import type { Wallet } from './signer.ts'
import { ChainUnavailable } from './transaction-failures.ts'

export type Call = { from: string; to: string; data: string }
export type Log = { address: string; topics: readonly string[] }
export type Receipt = { blockNumber: number; succeeded: boolean; logs: readonly Log[] }
export type SentTransaction = {
  hash: string
  from: string
  to: string | null
  input: string
  nonce: number
}

/** `data` is the contract's revert data, or undefined if there is no such data. */
export class Reverted extends Error {
  readonly data: string | undefined
  constructor(data: string | undefined) {
    super('the call reverted')
    this.name = 'Reverted'
    this.data = data
  }
}

/** Nodes behind one address can be a few blocks apart, and occasionally drop a request. */
const TRIES = 7
const FIRST_WAIT_MS = 100

export class Node {
  readonly #wallet: Wallet
  readonly #sleep: Surroundings['sleep']
  /** Highest block that mined one of our writes. Later reads use this block or a later one. */
  #seen = -1

  constructor(wallet: Wallet, sleep: Surroundings['sleep']) {
    this.#wallet = wallet
    this.#sleep = sleep
  }

  see(block: number): void {
    this.#seen = Math.max(this.#seen, block)
  }

  /** @throws {Reverted | ChainUnavailable} */
  async call(call: Call, signal?: AbortSignal): Promise<string> {
    return this.#asOfNow((block) => this.#ask('eth_call', [call, block]), signal)
  }

  /** @throws {Reverted | ChainUnavailable} */
  async estimate(call: Call, signal?: AbortSignal): Promise<bigint> {
    const gas = await this.#asOfNow((block) => this.#ask('eth_estimateGas', [call, block]), signal)
    return BigInt(gas)
  }

  async hasCode(address: string, signal?: AbortSignal): Promise<boolean> {
    const ask = (block: string) => this.#ask('eth_getCode', [address, block])
    return (await this.#asOfNow(ask, signal)).length > 2
  }

  /** Undefined if the call does not revert, or if the node does not have the block. */
  async reasonAt(call: Call, block: number): Promise<Reverted | undefined> {
    try {
      await this.#ask('eth_call', [call, quantity(block)])
      return undefined
    } catch (error) {
      return isRevert(error) ? new Reverted(revertDataIn(error)) : undefined
    }
  }

  async blockNumber(): Promise<number> {
    return Number(await this.#ask('eth_blockNumber', []))
  }

  /** Undefined while the transaction is not mined. */
  async receipt(transaction: string): Promise<Receipt | undefined> {
    const found: any = await this.#wallet.read('eth_getTransactionReceipt', [transaction])
    if (found?.blockNumber == null) return undefined
    const { blockNumber, status, logs } = found
    return { blockNumber: Number(blockNumber), succeeded: BigInt(status) === 1n, logs }
  }

  /** Undefined if the node does not have the transaction. */
  async transaction(hash: string): Promise<SentTransaction | undefined> {
    return sentIn(await this.#wallet.read('eth_getTransactionByHash', [hash]))
  }

  async minedCount(address: string): Promise<number> {
    return Number(await this.#ask('eth_getTransactionCount', [address, 'latest']))
  }

  /** Empty if the node does not have the block. */
  async transactionsIn(block: number): Promise<SentTransaction[]> {
    const found: any = await this.#wallet.read('eth_getBlockByNumber', [quantity(block), true])
    const transactions: unknown[] = found?.transactions ?? []
    return transactions.flatMap((transaction) => sentIn(transaction) ?? [])
  }

  /** Reads at the node's latest block, or at a newer block that this client has seen. */
  async #asOfNow(ask: (block: string) => Promise<string>, signal?: AbortSignal): Promise<string> {
    const now = async () => {
      if (this.#seen < 0) return ask('latest')
      return ask(quantity(Math.max(this.#seen, await this.blockNumber())))
    }
    for (let tries = 1, waitMs = FIRST_WAIT_MS; ; tries++, waitMs *= 2) {
      try {
        return await orAborted(now(), signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (isRevert(error)) throw new Reverted(revertDataIn(error))
        if (tries === TRIES) throw new ChainUnavailable('several attempts failed')
      }
      await this.#sleep(waitMs, signal)
    }
  }

  async #ask(method: string, params: readonly unknown[]): Promise<string> {
    const answer = await this.#wallet.read(method, params)
    if (typeof answer !== 'string') throw new Error(`the response to ${method} is not a string`)
    return answer
  }
}

export const quantity = (value: number | bigint) => `0x${value.toString(16)}`

function sentIn(found: any): SentTransaction | undefined {
  if (typeof found?.hash !== 'string') return undefined
  const { hash, from, to, input, nonce } = found
  return { hash, from, to: to ?? null, input, nonce: Number(nonce) }
}
