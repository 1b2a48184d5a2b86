import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { chainRecords } from '../chain/chain-records.ts'
import type { ChainName, Chains } from '../../shared/config/chain-settings.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import { scanStatus } from '../schedule/wake-scanner.ts'
import { sleep } from '../sleep.ts'
import { originTrust } from '../trust/sealed-call.ts'
import { type TrustHealth, unverifiedHealth } from '../trust/trust-health.ts'
import { withComponentTimeout, isDatabaseAway, type HealthSnapshot } from './edge-health.ts'

export type HealthSnapshotDeps = {
  db: DrizzleD1Database<typeof schema>
  settings: { CHAINS: Chains }
  watcherOf: (chain: ChainName) => Watcher
  now: () => number
}

/** Public requests to the health page must not query the components each time. */
const CACHE_MS = 5_000

/** Maximum age of a cached result that is returned while a refresh is in flight. */
const STALE_MAX_MS = 30_000

let refresh: { env: Env; at: number } | undefined
let cached: { env: Env; seen: Omit<HealthSnapshot, 'origin'>; at: number } | undefined

/**
 * Reads the state of all components. The result is cached per isolate for five seconds, and the origin's state for one
 * second, so that public requests cannot cause more frequent queries. While a refresh is in flight, other callers get
 * the previous result. Never rejects.
 */
export async function readHealthSnapshot(
  env: Env,
  { db, settings, watcherOf, now }: HealthSnapshotDeps,
): Promise<HealthSnapshot> {
  const at = now()
  const origin = await originHealth(env, at)
  const within = (ms: number, entry: { env: Env; at: number } | undefined) =>
    entry?.env === env && Math.abs(at - entry.at) < ms
  // Callers that arrive while slow components are being queried do not start another query.
  const isRefreshing = within(CACHE_MS, refresh) && within(STALE_MAX_MS, cached)
  if (cached && (within(CACHE_MS, cached) || isRefreshing)) return { origin, ...cached.seen }
  refresh = { env, at }
  const [databaseAway, scan, chains] = await Promise.all([
    isDatabaseAway(db),
    withComponentTimeout(scanStatus(env)),
    chainRecords({ chains: settings.CHAINS, watcherOf, now, sleep }),
  ])
  const seen = { isDatabaseAway: databaseAway, scan, chains }
  cached = { env, seen, at }
  return { origin, ...seen }
}

/**
 * Time for which the health is cached. Anyone may request the health, and uncached requests could overload the single
 * `OriginTrust` object, which also serves keys to the whole edge.
 */
const HEALTH_KEPT_MS = 1_000

let cachedHealth: { env: Env; health: TrustHealth; at: number } | undefined

/** Returns the trust state, which is at most a second old. Calls the `OriginTrust` object, but never the origin. */
async function originHealth(env: Env, now: number): Promise<TrustHealth> {
  if (cachedHealth?.env === env && Math.abs(now - cachedHealth.at) < HEALTH_KEPT_MS)
    return cachedHealth.health
  const health = await fetchHealth(env)
  cachedHealth = { env, health, at: now }
  return health
}

async function fetchHealth(env: Env): Promise<TrustHealth> {
  try {
    return await originTrust(env).health()
  } catch {
    return unverifiedHealth('trust_object_away')
  }
}
