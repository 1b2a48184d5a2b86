import type { Log } from '../../log.ts'
import { byTimer, type Repeat } from '../tending.ts'
import type { Payments } from './payments.ts'

/** Each poll is one small query. */
const LOOK_MS = 5_000

/**
 * Polls payments that no client has confirmed and no event has reported.
 * @returns stops the polling, but does not wait for a poll in flight, which another process will repeat.
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
      // Logs only the first failure of an outage.
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
