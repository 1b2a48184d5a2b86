import type { ReservationResult } from './sums/reservation.ts'

/**
 * Writes an explanation with its last sentence, the reason, first: the error of a key operation is cut at 1,000
 * characters.
 */
export function denialMessage(explanation: readonly string[]): string {
  return [...explanation.slice(-1), ...explanation.slice(0, -1)].join(' ')
}

type Refused = Extract<ReservationResult, { isReserved: false }>

export function overSumReason({ charge, remaining, availableAt, restoredAt }: Refused): string {
  const { key, amount, max } = charge
  const at = (time: number) => new Date(time).toISOString()
  if (restoredAt !== undefined)
    return `Denied: the sum ${key} may be too low, because the database was restored at ${at(restoredAt)}; set the policy again, or wait until a whole window has passed since then.`
  const when =
    availableAt === undefined ? 'more than its maximum' : `available from ${at(availableAt)} on`
  return `Denied: ${remaining} of ${max} remain of the sum ${key}, and the request needs ${amount}, which is ${when}.`
}
