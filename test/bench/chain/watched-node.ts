import { ChainNode, type NodeAnswer } from '../../doubles/chain-node/chain-node.ts'
import type { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { startChainNode } from '../../doubles/chain-node/start-chain-node.ts'

type Logs = { fromBlock?: string; toBlock?: string; blockHash?: string }
type Call = { method: string; params?: unknown[] }

/** An `eth_getLogs` call for a range, and the time of its response. */
export type RangeAsked = { from: number; to: number; at: number }

/** Node that records calls, and when a log was first part of a response. Times in Unix milliseconds. */
export class WatchedNode extends ChainNode {
  /** Time of the first response with a log of a transaction, by transaction hash. */
  readonly told = new Map<string, number>()
  readonly ranges: RangeAsked[] = []

  /** Number of calls so far, of all methods. */
  get questions(): number {
    return [...this.methods.values()].reduce((sum, count) => sum + count, 0)
  }

  override answer(body: string): NodeAnswer {
    const answer = super.answer(body)
    const at = Date.now()
    const calls = [JSON.parse(body) as Call | Call[]].flat()
    for (const { method, params } of calls) {
      if (method !== 'eth_getLogs') continue
      const { fromBlock, toBlock } = (params ?? [{}])[0] as Logs
      if (fromBlock && toBlock)
        this.ranges.push({ from: Number(fromBlock), to: Number(toBlock), at })
      if (typeof answer === 'object')
        for (const [, hash] of answer.body.matchAll(/"transactionHash":"(0x[0-9a-f]{64})"/g))
          if (!this.told.has(hash!)) this.told.set(hash!, at)
    }
    return answer
  }
}

export type RunningChain = {
  node: WatchedNode
  url: string
  chain: ScriptedChain
  close(): Promise<void>
}

export async function startChain(
  chain: ScriptedChain,
  throttle: { latencyMs?: number; inFlight?: number; blocks?: number } = {},
): Promise<RunningChain> {
  const node = new WatchedNode(chain)
  if (throttle.blocks !== undefined) node.limits = { blocks: throttle.blocks, words: 'none' }
  const { url, close } = await startChainNode(node, throttle)
  return { node, url, chain, close }
}
