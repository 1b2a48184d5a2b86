import type { Log } from '../../log.ts'
import { byTimer, type Repeat } from '../tending.ts'
import type { Payments } from './payments.ts'

/** Between two looks for payments that are due: one small query. */
const LOOK_MS = 5_000

/**
 * Looks after payments that nobody confirmed and no event told of.
 * @returns what ends it, without waiting for a look that is under way: it is done again by another process
 */
export function tendPayments(payments: Payments, log: Log, repeat: Repeat = byTimer): () => void {
  const ended = new AbortController()
  let looking = false
  let failing = false
  const look = async () => {
    looking = true
    try {
      await payments.look(ended.signal)
      failing = false
    } catch (error) {
      // Once for each outage.
      if (!failing && !ended.signal.aborted)
        log('payments.failed', { error: error instanceof Error ? error.name : '' })
      failing = true
    } finally {
      looking = false
    }
  }
  const end = repeat(LOOK_MS, () => void (looking || look()))
  return () => {
    end()
    ended.abort()
  }
}
