import { until } from '../../system/owner.ts'
import type { BenchOwner } from '../edge.ts'
import { median, report } from '../report.ts'
import { contract, watching } from './transfers.ts'
import type { RunningChain } from './watched-node.ts'

/** Alternates with the baseline, so that other load on the machine affects both. */
const WINDOWS = 5

type Throttle = { blocks: number; latencyMs: number }

/**
 * Measures blocks per second of a backfill, as seen by the node from the first call to the last response, compared with
 * sequential calls of the plan's maximum range. The first backfill has to discover the plan's limit.
 * @param throttle the plan's range limit, and the latency of each response
 */
export async function backfilling(
  owner: BenchOwner,
  running: RunningChain,
  throttle: Throttle,
): Promise<void> {
  const last = running.chain.head.number
  const plain: number[] = []
  const ours: Awaited<ReturnType<typeof backfilled>>[] = []
  for (let window = 0; window < WINDOWS; window++) {
    plain.push(await sequential(running.url, last, throttle.blocks))
    ours.push(await backfilled(owner, running, throttle))
  }
  const rates = ours.map(({ perSecond }) => perSecond)
  const ratio = median(rates.map((rate, window) => rate / plain[window]!))
  const names = { bench: 'chain', unit: 'blocks/s', metric: 'backfill_blocks_per_s' }
  report({ ...names, value: median(rates), baseline: median(plain), ratio })
  const fewest = Math.ceil((last - 1) / throttle.blocks)
  report({
    bench: 'chain',
    metric: 'backfill_questions',
    value: ours[0]!.questions,
    unit: 'questions',
    baseline: fewest,
    ratio: ours[0]!.questions / fewest,
  })
}

async function backfilled(
  owner: BenchOwner,
  { chain, node }: RunningChain,
  { latencyMs }: Throttle,
): Promise<{ perSecond: number; questions: number }> {
  const last = chain.head.number
  node.ranges.length = 0
  const { id } = await owner.create(watching('arbitrum', 1, { start_block: 1 }))
  await until(120, 'the backfill is done', async () => {
    const { backfill } = await owner.trigger(id)
    return backfill?.done ? true : undefined
  })
  const ranges = node.ranges.filter(({ from, to }) => to > from && to <= last)
  const times = ranges.map(({ at }) => at)
  // Adds the latency of the first call, which is recorded only when it is answered.
  const seconds = (Math.max(...times) - Math.min(...times) + latencyMs) / 1000
  return { perSecond: (last - 1) / seconds, questions: ranges.length }
}

/** @returns blocks per second */
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
