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

/** Everybody may ask, and the parts have better to do. */
const KEPT_MS = 5_000

let kept: { env: Env; seen: Omit<PartsSeen, 'origin'>; at: number } | undefined

/**
 * What the parts say of themselves, five seconds old at most in an isolate, and of the origin one second: no question of
 * anybody's reaches a node, the origin, or a part more often. Never throws.
 */
export async function partsSeen(
  env: Env,
  { db, settings, watcherOf, now }: PartsAsked,
): Promise<PartsSeen> {
  const at = now()
  const origin = await originHealth(env, at)
  if (kept?.env === env && Math.abs(at - kept.at) < KEPT_MS) return { origin, ...kept.seen }
  const [databaseAway, scan, chains] = await Promise.all([
    isDatabaseAway(db),
    inTime(scanStatus(env)),
    chainRecords({ chains: settings.CHAINS, watcherOf, now, sleep }),
  ])
  const seen = { isDatabaseAway: databaseAway, scan, chains }
  kept = { env, seen, at }
  return { origin, ...seen }
}
