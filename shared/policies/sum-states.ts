/** The JSON form of the states of sums, which `svc wallet policy simulate` reads and writes. */
import { z } from 'zod'
import type { Charge } from './charges.ts'
import { addToSum, availableAt, EMPTY_SUM, remainingOf, type SumState } from './rolling-sum.ts'

const time = z.int().min(0)

export const sumStateSchema = z.strictObject({
  latest: time,
  buckets: z.array(
    z.strictObject({
      ends: time,
      amount: z
        .string()
        .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'expected a decimal amount')
        .transform(BigInt),
    }),
  ),
})

/** States by the key of the sum. */
export const sumStatesSchema = z.record(z.string(), sumStateSchema)

export type SumStates = ReadonlyMap<string, SumState>

export function sumStateJson({ latest, buckets }: SumState): z.input<typeof sumStateSchema> {
  return { latest, buckets: buckets.map(({ ends, amount }) => ({ ends, amount: String(amount) })) }
}

export type ReservedSums =
  | { isReserved: true; states: SumStates; remaining: readonly RemainingSum[] }
  /** `availableAt` is undefined if the charge exceeds the maximum of the sum. */
  | { isReserved: false; charge: Charge; remaining: bigint; availableAt: number | undefined }

/** A charge that its sum does not allow. */
export type ExceededSum = Pick<
  Extract<ReservedSums, { isReserved: false }>,
  'charge' | 'remaining' | 'availableAt'
>

/** Returns the reason of the denial as a sentence. */
export function exceededSumWords({ charge, remaining, availableAt }: ExceededSum): string {
  const { key, amount, max } = charge
  const when =
    availableAt === undefined
      ? 'more than its maximum'
      : `available from ${new Date(availableAt).toISOString()} on`
  return `Denied: ${remaining} of ${max} remain of the sum ${key}, and the request needs ${amount}, which is ${when}.`
}

export type RemainingSum = { charge: Charge; remaining: bigint }

/**
 * Adds all charges to their sums, or none. The given states are not changed.
 * @param now by the earlier of two clocks
 * @param recordedAt by the later one
 */
export function reserveCharges(
  states: SumStates,
  charges: readonly Charge[],
  now: number,
  recordedAt = now,
): ReservedSums {
  const reserved = new Map(states)
  for (const charge of charges) {
    const state = reserved.get(charge.key) ?? EMPTY_SUM
    const next = addToSum(state, charge, charge.amount, now, recordedAt)
    if (!next)
      return {
        isReserved: false,
        charge,
        remaining: remainingOf(state, charge, now),
        availableAt: availableAt(state, charge, charge.amount, now),
      }
    reserved.set(charge.key, next)
  }
  return {
    isReserved: true,
    states: reserved,
    remaining: charges.map((charge) => ({
      charge,
      remaining: remainingOf(reserved.get(charge.key)!, charge, now),
    })),
  }
}
