import type { Log } from '../log.ts'
import type { Audit } from './audit.ts'
import type { Credits } from './credits.ts'

/**
 * Interval at which charges are written to the ledger, which also delays them in the balance that other processes show.
 * A busy account costs one statement per interval. It costs more only if it spends over `SETTLE_CENTS` in that time.
 */
export const FLUSH_MS = 1_000

/**
 * Poll interval for credit requests of other processes. A process that requests credit waits for at most two polls.
 * Each poll is one small query.
 */
const ANSWER_MS = 100

/** Interval at which leases are renewed: six times per lease duration, so that some renewals may fail. */
const RENEW_MS = 5_000

/**
 * Interval between audits. Each audit reads the transfers of one hour, except for the first one, at startup, which
 * reads all transfers.
 */
const AUDIT_MS = 60 * 60 * 1000

/**
 * Interval at which expired window sums are deleted. Expired sums are no longer counted but still stored. Any process
 * may delete them.
 */
const PRUNE_MS = 5 * 60 * 1000

/**
 * Calls `act` at a fixed interval in milliseconds.
 * @returns a function that stops the calls
 */
export type Repeat = (ms: number, act: () => void) => () => void

export const byTimer: Repeat = (ms, act) => {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

/**
 * Maintains the leases of this process: settles, returns and renews them.
 * @returns a function that stops the maintenance
 */
export function tendCredits(credits: Credits, log: Log, repeat: Repeat = byTimer): () => void {
  const ends = [
    repeat(
      FLUSH_MS,
      unlessBusy('flush', () => credits.flush(), log),
    ),
    repeat(
      ANSWER_MS,
      unlessBusy('answer', () => credits.answer(), log),
    ),
    repeat(
      RENEW_MS,
      unlessBusy('renew', () => credits.renew(), log),
    ),
    repeat(
      PRUNE_MS,
      unlessBusy('prune', () => credits.prune(), log),
    ),
  ]
  return () => ends.forEach((end) => end())
}

/**
 * Audits the books immediately, and then every hour.
 * @returns a function that stops the audits
 */
export function tendAudit(audit: Audit, log: Log): () => void {
  const run = unlessBusy('audit', () => audit.run(), log)
  run()
  return byTimer(AUDIT_MS, run)
}

function unlessBusy(part: string, act: () => Promise<void>, log: Log): () => void {
  let busy = false
  let failing = false
  const turn = async () => {
    busy = true
    try {
      await act()
      failing = false
    } catch (error) {
      // Logs only the first failure of an outage, because the failure recurs several times a second.
      if (!failing) log('credits.failed', { part, error: error instanceof Error ? error.name : '' })
      failing = true
    } finally {
      busy = false
    }
  }
  return () => void (busy || turn())
}
