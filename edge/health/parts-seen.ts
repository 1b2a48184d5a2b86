import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { chainRecords } from '../chain/chain-records.ts'
import type { ChainName, Chains } from '../chain/chain-settings.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import { scanStatus } from '../schedule/wake-scanner.ts'
import { sleep } from '../sleep.ts'
import { originHealth } from '../trust/trusted-keys.ts'
import { inTime, isDatabaseAway, type PartsSeen } from './edge-health.ts'

export type PartsAsked = {
  db: DrizzleD1Database<typeof schema>
  settings: { CHAINS: Chains }
  watcherOf: (chain: ChainName) => Watcher
  /** Unix milliseconds. */
  now: () => number
}

/** The health page is public, so the components must not be queried for each request. */
const KEPT_MS = 5_000

/** Maximum age of a cached result that is returned while a refresh is in flight. */
const OLD_MS = 30_000

/** Start of the latest refresh. */
let asked: { env: Env; at: number } | undefined
let kept: { env: Env; seen: Omit<PartsSeen, 'origin'>; at: number } | undefined

/**
 * Cached per isolate for five seconds, and the origin's state for one second, so that public requests never reach a
 * node, the origin or a component more often. While a refresh is in flight, other callers get the previous result.
 * Never rejects.
 */
export async function partsSeen(
  env: Env,
  { db, settings, watcherOf, now }: PartsAsked,
): Promise<PartsSeen> {
  const at = now()
  const origin = await originHealth(env, at)
  const within = (ms: number, of: { env: Env; at: number } | undefined) =>
    of?.env === env && Math.abs(at - of.at) < ms
  // Callers that arrive while slow components are being queried do not start another query.
  const isAsked = within(KEPT_MS, asked) && within(OLD_MS, kept)
  if (kept && (within(KEPT_MS, kept) || isAsked)) return { origin, ...kept.seen }
  asked = { env, at }
  const [databaseAway, scan, chains] = await Promise.all([
    isDatabaseAway(db),
    inTime(scanStatus(env)),
    chainRecords({ chains: settings.CHAINS, watcherOf, now, sleep }),
  ])
  const seen = { isDatabaseAway: databaseAway, scan, chains }
  kept = { env, seen, at }
  return { origin, ...seen }
}
