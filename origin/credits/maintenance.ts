import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import type { OriginLog } from '../log.ts'
import type { Audit } from './audit.ts'
import type { Credits } from './credits.ts'

/**
 * Settlement interval. The balances that other processes show do not include charges until they are settled. A busy
 * account costs one statement per interval, or more only if it spends over `SETTLE_CENTS` in that time.
 */
export const FLUSH_MS = 1_000

/**
 * Poll interval for credit requests from other processes. A request waits for at most two polls. Each poll is one small
 * query.
 */
const REQUEST_POLL_MS = 100

/** A sixth of the lease duration, so that some renewals may fail. */
const RENEW_MS = 5_000

/** Each audit reads the transfers of one hour, except for the first audit, which reads all transfers. */
const AUDIT_MS = HOUR_MS

/** Expired sums are no longer counted, so any process may delete them. */
const PRUNE_MS = 5 * MINUTE_MS

/** @returns a function that stops the calls */
export type Repeat = (ms: number, act: () => void) => () => void

export const repeatByTimer: Repeat = (ms, act) => {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

/** @returns a function that stops the maintenance */
export function maintainCredits(
  credits: Credits,
  log: OriginLog,
  repeat: Repeat = repeatByTimer,
): () => void {
  const tasks = [
    { part: 'flush', ms: FLUSH_MS, act: () => credits.flush() },
    { part: 'answer', ms: REQUEST_POLL_MS, act: () => credits.returnRequested() },
    { part: 'renew', ms: RENEW_MS, act: () => credits.renew() },
    { part: 'prune', ms: PRUNE_MS, act: () => credits.prune() },
  ]
  const ends = tasks.map(({ part, ms, act }) =>
    repeat(
      ms,
      skipIfBusy(act, (error) => log('credits.failed', { part, error })),
    ),
  )
  return () => ends.forEach((end) => end())
}

/**
 * Audits the ledger immediately, and then once per `AUDIT_MS`.
 * @returns a function that stops the audits
 */
export function scheduleAudits(audit: Audit, log: OriginLog): () => void {
  const run = skipIfBusy(
    () => audit.run(),
    (error) => log('credits.failed', { part: 'audit', error }),
  )
  run()
  return repeatByTimer(AUDIT_MS, run)
}

/**
 * Wraps an operation so that calls are skipped while one is in progress.
 * @param onFailure called with the name of the first error of an outage, because failures recur within seconds
 */
export function skipIfBusy(
  act: () => Promise<void>,
  onFailure: (error: string) => void,
): () => void {
  let isBusy = false
  let isFailing = false
  const run = async () => {
    isBusy = true
    try {
      await act()
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure(error instanceof Error ? error.name : '')
      isFailing = true
    } finally {
      isBusy = false
    }
  }
  return () => void (isBusy || run())
}
