import { sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { HealthReason } from '../../shared/wire/origin-health.ts'
import type { ChainRecord } from '../../shared/wire/chains.ts'
import type * as schema from '../db/schema.ts'
import type { ScanStatus } from '../schedule/scheduler.ts'
import type { TrustHealth } from '../trust/trust-health.ts'
import { sleep } from '../sleep.ts'
import type { ReasonCode } from './reasons.ts'

/** What the parts said of themselves. */
export type PartsSeen = {
  origin: TrustHealth
  isDatabaseAway: boolean
  /** Undefined where its object does not answer. */
  scan: ScanStatus | undefined
  chains: readonly ChainRecord[]
}

/** Who does not answer for so long is away. */
const PART_MS = 2_000

/** A scan is due every 30 s: five that were missed. */
const SCAN_LATE_MS = 150_000

/** A node that says nothing for so long, in seconds and in looks, is away. */
const CHAIN_AWAY_MS = 60_000
const CHAIN_AWAY_LOOKS = 10

/** Blocks whose logs are not looked for yet: more than one look takes. */
const CHAIN_BEHIND_BLOCKS = 100

/** Reasons, in words that anybody may read. A chain's name is one of a list of ours. */
export function reasonsOf(seen: PartsSeen, now: number): (HealthReason & { code: ReasonCode })[] {
  const reasons: (HealthReason & { code: ReasonCode })[] = []
  const add = (code: ReasonCode, message: string) => reasons.push({ code, message })
  if (seen.isDatabaseAway) add('database_away', 'The database does not answer.')
  const { reason, verdict } = seen.origin
  if (verdict === null && reason === 'not_verified_yet')
    add('origin_not_verified_yet', 'The origin is verified when it is first needed.')
  else if (verdict === null)
    add(
      'origin_not_verified',
      `The origin is not verified: ${reason ?? 'unknown'}. No run is executed.`,
    )
  else if (reason !== undefined)
    add('origin_not_renewed', `The origin could not be verified again: ${reason}.`)
  // A scanner that has not scanned yet is one that was just begun.
  if (!seen.scan || now - (seen.scan.endedAt ?? now) > SCAN_LATE_MS)
    add('scanner_late', 'The scanner of schedules is late; a lost tick is not caught up.')
  for (const { chain, watching, poll_ms, answered_at, lag_blocks } of seen.chains) {
    if (watching === false) continue
    const silentMs = now - (answered_at === null ? 0 : Date.parse(answered_at))
    if (watching === null || silentMs > Math.max(CHAIN_AWAY_MS, CHAIN_AWAY_LOOKS * poll_ms))
      add('chain_away', `${chain}: none of its nodes answers. Its events wait.`)
    else if ((lag_blocks ?? 0) > CHAIN_BEHIND_BLOCKS)
      add('chain_behind', `${chain}: ${lag_blocks} blocks are not looked through yet.`)
  }
  return reasons
}

/** Whether D1 does not answer the smallest question in time. Never throws. */
export async function isDatabaseAway(db: DrizzleD1Database<typeof schema>): Promise<boolean> {
  const asked = db.run(sql`SELECT 1`).then(() => false)
  return (await inTime(asked)) ?? true
}

/** What a part answers, or nothing where it fails or is silent. Never throws. */
export async function inTime<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  const ended = new AbortController()
  try {
    return await Promise.race([asked, sleep(PART_MS, ended.signal).then(() => undefined)])
  } catch {
    return undefined
  } finally {
    ended.abort()
  }
}
