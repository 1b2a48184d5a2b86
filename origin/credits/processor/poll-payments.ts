import type { OriginLog } from '../../log.ts'
import { repeatByTimer, type Repeat } from '../maintenance.ts'
import type { Payments } from './payments.ts'

/** Each poll is one small query. */
const POLL_INTERVAL_MS = 5_000

/**
 * Polls payments that no client has confirmed and no event has reported.
 * @returns stops the polling, but does not wait for a poll in flight, which another process will repeat.
 */
export function pollPayments(
  payments: Payments,
  log: OriginLog,
  repeat: Repeat = repeatByTimer,
): () => void {
  const ended = new AbortController()
  let isPolling = false
  let isFailing = false
  const poll = async () => {
    isPolling = true
    try {
      await payments.pollDue(ended.signal)
      isFailing = false
    } catch (error) {
      // Logs only the first failure of an outage.
      if (!isFailing && !ended.signal.aborted)
        log('payments.failed', { error: error instanceof Error ? error.name : '' })
      isFailing = true
    } finally {
      isPolling = false
    }
  }
  const end = repeat(POLL_INTERVAL_MS, () => void (isPolling || poll()))
  return () => {
    end()
    ended.abort()
  }
}
