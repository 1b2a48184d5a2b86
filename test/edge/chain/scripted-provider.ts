/** A provider of a synthetic chain, as a `ChainReader`, that accepts what its plan allows. */
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import type { LogFilter, LogQuery } from '../../../edge/chain/matching/log-filter.ts'
import type { ChainReader } from '../../../edge/chain/rpc/chain-reader.ts'
import {
  ChainUnreachableError,
  NodeLaggingError,
  RangeRejectedError,
} from '../../../shared/rpc/chain-read-errors.ts'

export type Plan = {
  /** Maximum number of blocks and logs per response. */
  blocks?: number
  logs?: number
  /** A refusal suggests the range that would be accepted. */
  hints?: boolean
  /** Longer responses are silently truncated to this number of logs. */
  cutsAt?: number
  /** The share of requests that fail, and how they fail. */
  fails?: number
  failsWith?: 'away' | 'lags'
  /** The logs of a block are also refused by block hash. */
  refusesHashes?: boolean
}

export type Asked = { address: string; from: number; to: number; refused: boolean }

export const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
export const TOPIC = `0x${'ab'.repeat(32)}`

export function filterOf(n: number): LogFilter {
  return { address: addressOf(n), topic0: TOPIC, topics: [] }
}

export class ScriptedProvider implements ChainReader {
  plan: Plan
  readonly asked: Asked[] = []
  /** Requests in flight, and the most at one time. */
  underWay = 0
  mostUnderWay = 0
  /** Each request waits for this promise. */
  gate: (asked: Asked) => Promise<void> = async () => {}
  readonly #logsIn: (address: string, block: number) => number
  readonly #random: () => number

  /** @param logsIn number of logs of a contract in a block */
  constructor(
    plan: Plan,
    logsIn: (address: string, block: number) => number,
    random: () => number = Math.random,
  ) {
    this.plan = plan
    this.#logsIn = logsIn
    this.#random = random
  }

  all(addresses: readonly string[], from: number, to: number): ChainLog[] {
    const logs: ChainLog[] = []
    for (let block = from; block <= to; block++) {
      let logIndex = 0
      for (const address of addresses)
        for (let n = this.#logsIn(address, block); n > 0; n--)
          logs.push(logAt(address, block, logIndex++))
    }
    return logs
  }

  async logs(query: LogQuery, from: number, to: number): Promise<ChainLog[]> {
    const addresses = query.addresses!
    const question = { address: addresses.join(), from, to, refused: false }
    this.asked.push(question)
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay)
    const { plan } = this
    try {
      await this.gate(question)
      if (this.#random() < (plan.fails ?? 0))
        throw plan.failsWith === 'lags'
          ? new NodeLaggingError('behind')
          : new ChainUnreachableError('away')
      const all = this.all(addresses, from, to)
      const isTooMany = all.length > (plan.logs ?? Infinity)
      question.refused = isTooMany || to - from + 1 > (plan.blocks ?? Infinity)
      if (question.refused && from === to)
        throw new ChainUnreachableError('refused', { perhapsRange: true })
      if (question.refused)
        throw new RangeRejectedError(plan.hints ? this.#hint(all, from) : undefined)
      return all.slice(0, plan.cutsAt)
    } finally {
      this.underWay--
    }
  }

  async logsOfBlock(query: LogQuery, { number }: BlockHeader): Promise<ChainLog[]> {
    if (this.plan.refusesHashes) throw new ChainUnreachableError('refused', { perhapsRange: true })
    return this.all(query.addresses!, number, number)
  }

  headersOf = async (numbers: readonly number[]) => numbers.map(headerOf)
  transactions = () => Promise.reject(new Error('not asked'))
  headers = () => Promise.reject(new Error('not asked'))
  tip = () => Promise.reject(new Error('not asked'))
  health = () => []

  #hint(all: readonly ChainLog[], from: number): number {
    const over = all[this.plan.logs ?? Infinity]
    const byLogs = over ? Math.max(1, over.blockNumber - from) : Infinity
    return Math.min(byLogs, this.plan.blocks ?? Infinity)
  }
}

function headerOf(number: number): BlockHeader {
  const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
  const parentHash = hash(number - 1)
  return { number, hash: hash(number), parentHash, timestamp: number, logsBloom: '0x' }
}

function logAt(address: string, blockNumber: number, logIndex: number): ChainLog {
  return {
    address,
    topics: [TOPIC],
    data: '0x',
    blockNumber,
    blockHash: headerOf(blockNumber).hash,
    blockTimestamp: blockNumber,
    transactionHash: headerOf(blockNumber).hash,
    transactionIndex: 0,
    logIndex,
    ordinal: logIndex,
  }
}
