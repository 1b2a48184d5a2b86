import type { ChainRecord } from '../../shared/wire/chains.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import type { ChainName, Chains, ChainSettings } from '../../shared/config/chain-settings.ts'
import type { EndpointHealth } from '../../shared/rpc/endpoint-condition.ts'
import type { ChainStatus, Watcher } from './watch/watcher.ts'

/** Timeout of a status request to a watcher. If the watcher is slower, the chain is listed without a status. */
const STATUS_MS = 2_000

type ChainRecordsOptions = {
  chains: Chains
  watcherOf: (chain: ChainName) => Pick<Watcher, 'status'>
  now: () => number
  sleep: Sleep
}

/** Queries the watchers concurrently, and sends no requests to chain nodes. */
export function chainRecords(options: ChainRecordsOptions): Promise<ChainRecord[]> {
  const configured = Object.entries(options.chains) as [ChainName, ChainSettings][]
  return Promise.all(
    configured.map(async ([chain, settings]) =>
      recordOf(chain, settings, await statusOf(chain, options), options.now()),
    ),
  )
}

async function statusOf(
  chain: ChainName,
  { watcherOf, sleep }: ChainRecordsOptions,
): Promise<ChainStatus | undefined> {
  try {
    return await withTimeout(watcherOf(chain).status(), STATUS_MS, sleep)
  } catch {
    return undefined
  }
}

function recordOf(
  chain: ChainName,
  { chainId, finality, pollMs, rpc }: ChainSettings,
  status: ChainStatus | undefined,
  now: number,
): ChainRecord {
  const head = status?.head ?? null
  const headAt = status?.headTimestamp ?? null
  const lookedThrough = status?.lookedThrough ?? null
  return {
    chain,
    chain_id: chainId,
    finality,
    poll_ms: pollMs,
    watching: status?.watching ?? null,
    head,
    head_at: timeOf((headAt ?? NaN) * 1000),
    // Block timestamps can be a few seconds ahead of our clock.
    head_age_s: headAt === null ? null : Math.max(0, Math.round(now / 1000 - headAt)),
    looked_through: lookedThrough,
    lag_blocks: head === null || lookedThrough === null ? null : Math.max(0, head - lookedThrough),
    safe: status?.safe ?? null,
    finalized: status?.finalized ?? null,
    answered_at: timeOf(status?.answeredAt ?? NaN),
    rpc: (status?.endpoints ?? rpc.map(unknownHealth)).map((health) => ({
      endpoint: health.endpoint,
      state: health.state,
      head: health.head,
      latency_ms: health.latencyMs,
      last_failure: health.lastFailure,
    })),
  }
}

const unknownHealth = (_: string, endpoint: number): EndpointHealth => ({
  endpoint,
  state: 'unknown',
  head: null,
  latencyMs: null,
  lastFailure: null,
})

/** Returns null if the time is unknown, or if a `Date` cannot represent it. */
function timeOf(milliseconds: number): string | null {
  const time = new Date(milliseconds)
  return Number.isNaN(time.valueOf()) ? null : time.toISOString()
}
