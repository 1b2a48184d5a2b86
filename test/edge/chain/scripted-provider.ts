/** A provider of a made-up chain that takes what its plan allows, as its reader sees it. */
import type { BlockHeader } from '../../../edge/chain/block-header.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import type { LogFilter, LogQuery } from '../../../edge/chain/matching/log-filter.ts'
import type { ChainReader } from '../../../edge/chain/rpc/chain-reader.ts'
import { ChainAway, NodeLags, RangeRefused } from '../../../edge/chain/rpc/rpc-failures.ts'

export type Plan = {
  /** Blocks and logs that one answer has at most. */
  blocks?: number
  logs?: number
  /** What is refused names the range that would be taken. */
  hints?: boolean
  /** Answers with too many logs are cut there, and nothing is said. */
  cutsAt?: number
  /** The share of questions that fail, and how. */
  fails?: number
  failsWith?: 'away' | 'lags'
  /** A block's logs are refused by its hash, too. */
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
  /** Questions that are under way, and the most that were. */
  underWay = 0
  mostUnderWay = 0
  /** What each question waits for. */
  gate: (asked: Asked) => Promise<void> = async () => {}
  readonly #logsIn: (address: string, block: number) => number
  readonly #random: () => number

  /** @param logsIn how many logs a contract has in a block */
  constructor(
    plan: Plan,
    logsIn: (address: string, block: number) => number,
    random: () => number = Math.random,
  ) {
    this.plan = plan
    this.#logsIn = logsIn
    this.#random = random
  }

  /** Every log of these contracts there. */
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

  async logs({ addresses }: LogQuery, from: number, to: number): Promise<ChainLog[]> {
    const question = { address: addresses.join(), from, to, refused: false }
    this.asked.push(question)
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay)
    const { plan } = this
    try {
      await this.gate(question)
      if (this.#random() < (plan.fails ?? 0))
        throw plan.failsWith === 'lags' ? new NodeLags('behind') : new ChainAway('away')
      const all = this.all(addresses, from, to)
      const isTooMany = all.length > (plan.logs ?? Infinity)
      question.refused = isTooMany || to - from + 1 > (plan.blocks ?? Infinity)
      if (question.refused && from === to) throw new ChainAway('refused', { perhapsRange: true })
      if (question.refused) throw new RangeRefused(plan.hints ? this.#hint(all, from) : undefined)
      return all.slice(0, plan.cutsAt)
    } finally {
      this.underWay--
    }
  }

  async logsOfBlock({ addresses }: LogQuery, { number }: BlockHeader): Promise<ChainLog[]> {
    if (this.plan.refusesHashes) throw new ChainAway('refused', { perhapsRange: true })
    return this.all(addresses, number, number)
  }

  headersOf = async (numbers: readonly number[]) => numbers.map(headerOf)
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
