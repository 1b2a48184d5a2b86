import type { Log } from '../../log.ts'
import { byTimer, type Repeat } from '../tending.ts'
import type { Payments } from './payments.ts'

/** Poll interval for due payments: one small query. */
const LOOK_MS = 5_000

/**
 * Polls payments that no client confirmed and no event reported.
 * @returns a function that stops it, without waiting for a poll in flight, which another process will repeat
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
      // Logs once per outage.
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
