import { exceededSumWords } from '../../shared/policies/sum-states.ts'
import type { ReservationResult } from './sums/reservation.ts'

/**
 * Writes an explanation with its last sentence, the reason, first: the error of a key operation is cut at 1,000
 * characters.
 */
export function denialMessage(explanation: readonly string[]): string {
  return [...explanation.slice(-1), ...explanation.slice(0, -1)].join(' ')
}

type Refused = Extract<ReservationResult, { isReserved: false }>

export function overSumReason(refused: Refused): string {
  const { charge, restoredAt } = refused
  if (restoredAt === undefined) return exceededSumWords(refused)
  return `Denied: the sum ${charge.key} may be too low, because the database was restored at ${new Date(restoredAt).toISOString()}; set the policy again, or wait until a whole window has passed since then.`
}
