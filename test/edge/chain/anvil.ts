/** A real chain that mines blocks only on request. */
import { inject } from 'vitest'

/** EVM bytecode that emits its calldata as a log: the first word is the topic, the rest is the data. */
const EMITTER = '0x365f5f375f35602036036020a100'

export const CONTRACT = `0x${'e1'.repeat(20)}`
export const TOPIC = `0x${'11'.repeat(32)}`

export type AnvilLog = { transactionHash: string; data: string; blockHash: string }

export class Anvil {
  readonly url = inject('anvil')
  #sender = ''
  #value = 0

  async ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(this.url, { method: 'POST', headers, body })
    const answer: { result?: Result; error?: { message: string } } = await response.json()
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result as Result
  }

  /** Starts a new chain that shares only its ID with the previous one. */
  async begin(): Promise<void> {
    await this.ask('anvil_reset')
    await this.ask('anvil_setCode', CONTRACT, EMITTER)
    // Otherwise two chains that start within one second could have identical blocks.
    await this.ask('evm_increaseTime', 1 + this.#value)
    const [sender] = await this.ask<string[]>('eth_accounts')
    this.#sender = sender!
    await this.mineEmpty(3)
  }

  /** @param counts number of logs in each block */
  async mine(counts: readonly number[]): Promise<void> {
    for (const count of counts) {
      for (let sent = 0; sent < count; sent++)
        await this.ask('eth_sendTransaction', this.#transaction())
      await this.ask('anvil_mine', '0x1')
    }
  }

  async mineEmpty(count: number): Promise<void> {
    await this.ask('anvil_mine', `0x${count.toString(16)}`)
  }

  /** Replaces the latest blocks with the same number of new ones. @param logs index of the new block for each log */
  async reorg(depth: number, logs: readonly number[]): Promise<void> {
    const transactions = logs.map((place) => [this.#transaction(), place])
    await this.ask('anvil_reorg', depth, transactions)
  }

  async rollback(depth: number): Promise<void> {
    await this.ask('anvil_rollback', depth)
  }

  async head(): Promise<number> {
    return Number(await this.ask('eth_blockNumber'))
  }

  /** Returns the logs of the current canonical chain, in order. */
  async logs(from: number): Promise<AnvilLog[]> {
    const range = { fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' }
    return this.ask('eth_getLogs', { address: CONTRACT, topics: [TOPIC], ...range })
  }

  #transaction() {
    const data = `${TOPIC}${(this.#value++).toString(16).padStart(64, '0')}`
    return { from: this.#sender, to: CONTRACT, gas: '0x186a0', data }
  }
}
