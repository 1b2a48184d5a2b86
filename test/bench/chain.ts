/**
 * Measures chain events at a deployed edge with throttled nodes: latency from a log to its run, RPC calls, backfill
 * speed, and decoding speed.
 */
import { ScriptedChain } from '../doubles/chain-node/scripted-chain.ts'
import { backfilling } from './chain/backfilling.ts'
import { decoding } from './chain/decoding.ts'
import { logToQueued } from './chain/log-to-queued.ts'
import { rpcCalls } from './chain/rpc-calls.ts'
import { transferOf } from './chain/transfers.ts'
import { type RunningChain, startChain } from './chain/watched-node.ts'
import { benchOwner, startEdge } from './edge.ts'

/** Several accounts, because one account is limited to fewer triggers than needed. */
const OWNERS = 2

/** A node at a distance of 20 ms, with a plan limit that is not a power of two. */
const THROTTLE = { latencyMs: 20, inFlight: 8, blocks: 200 }
const OLD_BLOCKS = 40_000
const LOG_EVERY = 400

export async function chain(): Promise<void> {
  decoding()
  const nodes: RunningChain[] = []
  try {
    const ethereum = await startChain(new ScriptedChain({ chainId: 1 }))
    const base = await startChain(new ScriptedChain({ chainId: 8453 }))
    const arbitrum = await startChain(oldChain(), THROTTLE)
    nodes.push(ethereum, base, arbitrum)
    const edge = await startEdge({
      CHAINS: JSON.stringify({
        ethereum: { chain_id: 1, rpc: [ethereum.url], poll_ms: 200 },
        base: { chain_id: 8453, rpc: [base.url], poll_ms: 250 },
        arbitrum: { chain_id: 42_161, rpc: [arbitrum.url], poll_ms: 2_000 },
      }),
    })
    try {
      const owners = await Promise.all(
        Array.from({ length: OWNERS }, (_, n) => benchOwner(edge.url, `bench-${n}@example.com`)),
      )
      await logToQueued(edge, owners[0]!, ethereum)
      await backfilling(owners[0]!, arbitrum, THROTTLE)
      await rpcCalls(owners, base)
    } finally {
      await edge.close()
    }
  } finally {
    for (const node of nodes) await node.close()
  }
}

function oldChain(): ScriptedChain {
  const old = new ScriptedChain({ chainId: 42_161 })
  for (let n = 1; n <= OLD_BLOCKS; n++) old.mine(n % LOG_EVERY === 0 ? [transferOf(1, n)] : [])
  return old
}
