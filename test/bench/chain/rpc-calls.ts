import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchOwner } from '../edge.ts'
import { report } from '../report.ts'
import { crowd, watching } from './transfers.ts'
import type { RunningChain } from './watched-node.ts'

const TRIGGERS = 1_000
const CREATED_AT_ONCE = 16
/** Longer than the poll interval, so that each block is found separately. */
const BLOCKS = 40
const BLOCK_MS = 1_000
/** Number of logs per block that no trigger watches. */
const CROWD = 100

/** Measures calls to the node during a number of blocks: for one trigger, and for 1,000 on as many contracts. */
export async function rpcCalls(
  owners: readonly BenchOwner[],
  running: RunningChain,
): Promise<void> {
  await owners[0]!.create(watching('base', 1))
  const alone = await asked(running)
  let next = 2
  const creator = async () => {
    while (next <= TRIGGERS) {
      const n = next++
      await owners[n % owners.length]!.create(watching('base', n))
    }
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, creator))
  const many = await asked(running)
  for (const [metric, one, thousand] of [
    ['rpc_calls_per_minute_1000_triggers', alone.questions, many.questions],
    ['rpc_requests_per_minute_1000_triggers', alone.requests, many.requests],
  ] as const)
    report({
      bench: 'chain',
      metric,
      value: thousand,
      unit: 'calls/min',
      baseline: one,
      ratio: thousand / one,
    })
}

/** Calls per minute while the chain grows. */
async function asked({ chain, node }: RunningChain) {
  // Lets the work started by new subscriptions finish.
  for (let n = 0; n < 6; n++) await grow(chain)
  const before = { questions: node.questions, requests: node.requests }
  const began = performance.now()
  for (let n = 0; n < BLOCKS; n++) await grow(chain)
  const minutes = (performance.now() - began) / 60_000
  return {
    questions: (node.questions - before.questions) / minutes,
    requests: (node.requests - before.requests) / minutes,
  }
}

async function grow(chain: RunningChain['chain']): Promise<void> {
  chain.mine(crowd(chain.head.number, CROWD))
  await sleep(BLOCK_MS)
}
