import { sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { HealthReason } from '../../shared/wire/origin-health.ts'
import type { ChainRecord } from '../../shared/wire/chains.ts'
import type * as schema from '../db/schema.ts'
import type { ScanStatus } from '../schedule/scheduler-object.ts'
import type { TrustHealth } from '../trust/trust-health.ts'
import { withTimeout } from '../sleep.ts'
import type { ReasonCode } from './reasons.ts'

export type HealthSnapshot = {
  origin: TrustHealth
  isDatabaseAway: boolean
  /** Undefined if the scheduler's object does not respond. */
  scan: ScanStatus | undefined
  chains: readonly ChainRecord[]
}

const COMPONENT_TIMEOUT_MS = 2_000

/** Five missed scans, which are due every 30 s. */
const SCAN_LATE_MS = 150_000

/**
 * A chain counts as unavailable after `CHAIN_AWAY_MS` or `CHAIN_AWAY_POLLS` polls without a response, whichever is
 * longer.
 */
const CHAIN_AWAY_MS = 60_000
const CHAIN_AWAY_POLLS = 10

/** A single poll covers fewer blocks. */
const CHAIN_BEHIND_BLOCKS = 100

/** The messages are public. Chain names in them come from a fixed list. */
export function reasonsOf(
  snapshot: HealthSnapshot,
  now: number,
): (HealthReason & { code: ReasonCode })[] {
  const reasons: (HealthReason & { code: ReasonCode })[] = []
  const add = (code: ReasonCode, message: string) => reasons.push({ code, message })
  if (snapshot.isDatabaseAway) add('database_away', 'The database does not respond.')
  const { reason, verdict } = snapshot.origin
  if (verdict === null && reason === 'not_verified_yet')
    add(
      'origin_not_verified_yet',
      'The origin has not been verified yet. It is verified when it is first needed.',
    )
  else if (verdict === null)
    add(
      'origin_not_verified',
      `The origin is not verified: ${reason ?? 'unknown'}. No runs are executed.`,
    )
  else if (reason !== undefined)
    add('origin_not_renewed', `The verification of the origin could not be renewed: ${reason}.`)
  // A scanner without a completed scan has just started, and does not count as late.
  if (!snapshot.scan || now - (snapshot.scan.endedAt ?? now) > SCAN_LATE_MS)
    add(
      'scanner_late',
      'The schedule scanner is late. Missed ticks are not recovered until it runs.',
    )
  for (const { chain, watching, poll_ms, answered_at, lag_blocks } of snapshot.chains) {
    if (watching === false) continue
    const silentMs = now - (answered_at === null ? 0 : Date.parse(answered_at))
    if (watching === null || silentMs > Math.max(CHAIN_AWAY_MS, CHAIN_AWAY_POLLS * poll_ms))
      add('chain_away', `${chain}: no node responds. Events are delayed.`)
    else if ((lag_blocks ?? 0) > CHAIN_BEHIND_BLOCKS)
      add('chain_behind', `${chain}: ${lag_blocks} blocks have not been searched yet.`)
  }
  return reasons
}

/** Never rejects. */
export async function isDatabaseAway(db: DrizzleD1Database<typeof schema>): Promise<boolean> {
  const query = db.run(sql`SELECT 1`).then(() => false)
  return (await withComponentTimeout(query)) ?? true
}

/** Never rejects. */
export function withComponentTimeout<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return withTimeout(answer, COMPONENT_TIMEOUT_MS).catch(() => undefined)
}
