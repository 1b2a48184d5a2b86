import type { Log } from '../log.ts'
import type { Audit } from './audit.ts'
import type { Credits } from './credits.ts'

/**
 * What is spent is in the ledger, and in the balance that other processes show, after this at most: a busy account
 * costs a statement each time, and more only where it spends more than `SETTLE_CENTS` meanwhile.
 */
export const FLUSH_MS = 1_000

/** A process that asks for credit waits for two looks of the others at most; each look is one small query. */
const ANSWER_MS = 100

/** Six times in the life of a lease: some may be missed. */
const RENEW_MS = 5_000

/** Each audit reads what the ledger got in an hour; the first, at the start, all of it. */
const AUDIT_MS = 60 * 60 * 1000

/** What has left its window is not counted, only stored: any process deletes it. */
const PRUNE_MS = 5 * 60 * 1000

/** Calls back each time that so many milliseconds are over. @returns what ends it */
export type Repeat = (ms: number, act: () => void) => () => void

/** By this process' own timers. */
export const byTimer: Repeat = (ms, act) => {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

/** Keeps the leases of a process: settles, gives back and renews. @returns what ends it */
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

/** Audits the books now, and from time to time. @returns what ends it */
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
      // Once for each outage: it comes again several times a second.
      if (!failing) log('credits.failed', { part, error: error instanceof Error ? error.name : '' })
      failing = true
    } finally {
      busy = false
    }
  }
  return () => void (busy || turn())
}
