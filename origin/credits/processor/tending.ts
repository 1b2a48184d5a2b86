import type { Log } from '../../log.ts'
import { byTimer, type Repeat } from '../tending.ts'
import type { Payments } from './payments.ts'

/** Between two looks for payments that are due: one small query. */
const LOOK_MS = 5_000

/** Looks after payments that nobody confirmed and no event told of. @returns what ends it */
export function tendPayments(
  payments: Payments,
  log: Log,
  repeat: Repeat = byTimer,
): () => Promise<void> {
  let looking: Promise<void> | undefined
  let failing = false
  const look = async () => {
    try {
      await payments.look()
      failing = false
    } catch (error) {
      // Once for each outage.
      if (!failing) log('payments.failed', { error: error instanceof Error ? error.name : '' })
      failing = true
    } finally {
      looking = undefined
    }
  }
  const end = repeat(LOOK_MS, () => void (looking ??= look()))
  return async () => {
    end()
    await looking
  }
}
