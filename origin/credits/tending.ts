import type { Log } from '../log.ts'
import type { Audit } from './audit.ts'
import type { Credits } from './credits.ts'

/** What is spent is in the ledger, and in the balance that other processes show, after this at most. */
const FLUSH_MS = 250

/** A process that asks for credit waits for two looks of the others at most; each look is one small query. */
const ANSWER_MS = 100

/** Six times in the life of a lease: some may be missed. */
const RENEW_MS = 5_000

/** Each audit reads what the ledger got in an hour; the first, at the start, all of it. */
const AUDIT_MS = 60 * 60 * 1000

/** What has left its window is not counted, only stored: any process deletes it. */
const PRUNE_MS = 5 * 60 * 1000

/** Keeps the leases of a process: settles, gives back and renews; and audits the books. @returns what ends it */
export function tendCredits(credits: Credits, audit: Audit, log: Log): () => void {
  const timers = [
    every(FLUSH_MS, 'flush', () => credits.flush(), log),
    every(ANSWER_MS, 'answer', () => credits.answer(), log),
    every(RENEW_MS, 'renew', () => credits.renew(), log),
    every(AUDIT_MS, 'audit', () => audit.run(), log, { atOnce: true }),
    every(PRUNE_MS, 'prune', () => credits.prune(), log),
  ]
  return () => timers.forEach((timer) => clearInterval(timer))
}

function every(
  ms: number,
  part: string,
  act: () => Promise<void>,
  log: Log,
  { atOnce = false } = {},
): NodeJS.Timeout {
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
  if (atOnce) void turn()
  return setInterval(() => void (busy || turn()), ms)
}
