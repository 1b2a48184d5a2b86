import type { TransactionRecord } from './transactions.ts'

/** Returns true if a wait for the state ends: it is reached, or can no longer be reached. */
export function endsWait(
  { state, ended_at }: Pick<TransactionRecord, 'state' | 'ended_at'>,
  until: 'mined' | 'final',
): boolean {
  if (ended_at !== null) return true
  return until === 'mined' && !['queued', 'signed', 'broadcast'].includes(state)
}
