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

/** While they are asked, what was seen before them still answers for so long. */
const OLD_MS = 30_000

/** When somebody last began to ask the parts. */
let asked: { env: Env; at: number } | undefined
let kept: { env: Env; seen: Omit<PartsSeen, 'origin'>; at: number } | undefined

/**
 * What the parts say of themselves, five seconds old at most in an isolate, and of the origin one second: no question of
 * anybody's reaches a node, the origin, or a part more often; while they are asked, who comes meanwhile is told what was
 * seen before. Never throws.
 */
export async function partsSeen(
  env: Env,
  { db, settings, watcherOf, now }: PartsAsked,
): Promise<PartsSeen> {
  const at = now()
  const origin = await originHealth(env, at)
  const within = (ms: number, of: { env: Env; at: number } | undefined) =>
    of?.env === env && Math.abs(at - of.at) < ms
  // Parts that are slow are not asked by everybody who comes until they answer.
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
