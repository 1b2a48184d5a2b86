import type { OriginLog } from '../log.ts'
import type { Audit } from './audit.ts'
import type { Credits } from './credits.ts'

/**
 * Also delays charges in the balance that other processes show. A busy account costs one statement per interval, or
 * more only if it spends over `SETTLE_CENTS` in that time.
 */
export const FLUSH_MS = 1_000

/**
 * Poll interval for credit requests of other processes, which wait for at most two polls. Each poll is one small query.
 */
const REQUEST_POLL_MS = 100

/** Six times per lease duration, so that some renewals may fail. */
const RENEW_MS = 5_000

/** Each audit reads the transfers of one hour, except for the first one, which reads all transfers. */
const AUDIT_MS = 60 * 60 * 1000

/** Expired sums are no longer counted but still stored. Any process may delete them. */
const PRUNE_MS = 5 * 60 * 1000

/** @returns a function that stops the calls */
export type Repeat = (ms: number, act: () => void) => () => void

export const repeatByTimer: Repeat = (ms, act) => {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

/**
 * Settles, returns and renews leases.
 * @returns stops the maintenance
 */
export function maintainCredits(
  credits: Credits,
  log: OriginLog,
  repeat: Repeat = repeatByTimer,
): () => void {
  const ends = [
    repeat(
      FLUSH_MS,
      skipIfBusy('flush', () => credits.flush(), log),
    ),
    repeat(
      REQUEST_POLL_MS,
      skipIfBusy('answer', () => credits.returnRequested(), log),
    ),
    repeat(
      RENEW_MS,
      skipIfBusy('renew', () => credits.renew(), log),
    ),
    repeat(
      PRUNE_MS,
      skipIfBusy('prune', () => credits.prune(), log),
    ),
  ]
  return () => ends.forEach((end) => end())
}

/** @returns stops the audits */
export function scheduleAudits(audit: Audit, log: OriginLog): () => void {
  const run = skipIfBusy('audit', () => audit.run(), log)
  run()
  return repeatByTimer(AUDIT_MS, run)
}

function skipIfBusy(part: string, act: () => Promise<void>, log: OriginLog): () => void {
  let busy = false
  let failing = false
  const turn = async () => {
    busy = true
    try {
      await act()
      failing = false
    } catch (error) {
      // The failure recurs several times a second, so only the first one of an outage is logged.
      if (!failing) log('credits.failed', { part, error: error instanceof Error ? error.name : '' })
      failing = true
    } finally {
      busy = false
    }
  }
  return () => void (busy || turn())
}
