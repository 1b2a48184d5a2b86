import { until } from '../../system/owner.ts'
import type { BenchOwner } from '../edge.ts'
import { report } from '../report.ts'
import { contract, watching } from './transfers.ts'
import type { RunningChain } from './watched-node.ts'

/**
 * Blocks a second of one backfill, as the node sees it from its first question to its last answer, against plain questions
 * one after the other at the same node, each as long as its plan allows. What the backfill does not know is that plan.
 * @param throttle what the node's plan takes, and how long each of its answers
 */
export async function backfilling(
  owner: BenchOwner,
  { chain, node, url }: RunningChain,
  { blocks: most, latencyMs }: { blocks: number; latencyMs: number },
): Promise<void> {
  const last = chain.head.number
  const plain = await sequential(url, last, most)
  node.ranges.length = 0
  const { id } = await owner.create(watching('arbitrum', 1, { start_block: 1 }))
  await until(120, 'the backfill is done', async () => {
    const { backfill } = await owner.trigger(id)
    return backfill?.done ? true : undefined
  })
  const ranges = node.ranges.filter(({ from, to }) => to > from && to <= last)
  const times = ranges.map(({ at }) => at)
  // The first was under way for as long as the node takes.
  const seconds = (Math.max(...times) - Math.min(...times) + latencyMs) / 1000
  const value = (last - 1) / seconds
  const names = { bench: 'chain', unit: 'blocks/s' }
  report({
    ...names,
    metric: 'backfill_blocks_per_s',
    value,
    baseline: plain,
    ratio: value / plain,
  })
  const fewest = Math.ceil((last - 1) / most)
  report({
    bench: 'chain',
    metric: 'backfill_questions',
    value: ranges.length,
    unit: 'questions',
    baseline: fewest,
    ratio: ranges.length / fewest,
  })
}

/** @returns blocks a second */
async function sequential(url: string, last: number, most: number): Promise<number> {
  const hex = (number: number) => `0x${number.toString(16)}`
  const began = performance.now()
  for (let from = 1; from < last; from += most) {
    const filter = {
      address: contract(1),
      fromBlock: hex(from),
      toBlock: hex(Math.min(from + most - 1, last)),
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) })
    const { result } = (await answer.json()) as { result?: unknown }
    if (!Array.isArray(result)) throw new Error('the plan does not take its own range')
  }
  return (last - 1) / ((performance.now() - began) / 1000)
}
