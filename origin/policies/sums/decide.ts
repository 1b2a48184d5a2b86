/** Decides reservations one after another, with the sums in memory. */
import type { Charge } from '../../../shared/policies/charges.ts'
import { EMPTY_SUM, remainingOf, type SumState } from '../../../shared/policies/rolling-sum.ts'
import { reserveCharges, type SumStates } from '../../../shared/policies/sum-states.ts'
import type { Clocks } from './clocks.ts'
import type { ReservationResult, SignatureReservation } from './reservation.ts'
import { type SumRow, sumName } from './sum-rows.ts'
import { SumsUnavailableError } from './sums-unavailable.ts'

/** The sums of several wallets, including the additions of earlier reservations in the batch. */
export class WalletSums {
  readonly #wallets: Map<string, SumStates>
  readonly #invalid = new Set<string>()

  constructor(rows: readonly SumRow[]) {
    const wallets = new Map<string, Map<string, SumState>>()
    for (const { pkpId, key, state } of rows) {
      const states = wallets.get(pkpId) ?? new Map<string, SumState>()
      if (state) wallets.set(pkpId, states.set(key, state))
      else this.#invalid.add(sumName({ pkpId, key }))
    }
    this.#wallets = wallets
  }

  of(pkpId: string): SumStates {
    return this.#wallets.get(pkpId) ?? new Map()
  }

  set(pkpId: string, states: SumStates): void {
    this.#wallets.set(pkpId, states)
  }

  /** @throws {SumsUnavailableError} if the stored state of a sum is invalid */
  requireValid(pkpId: string, charges: readonly Charge[]): void {
    const charge = charges.find(({ key }) => this.#invalid.has(sumName({ pkpId, key })))
    if (charge)
      throw new SumsUnavailableError(
        `the stored sum ${charge.key} of ${pkpId} is invalid; restore its row in policy_sums`,
      )
  }
}

/**
 * Adds all charges to the sums, or none.
 * @param isPaid true if the charges were added earlier, so that they are not added again
 * @throws {SumsUnavailableError}
 */
export function decide(
  sums: WalletSums,
  { pkpId, charges, policySetAt }: Omit<SignatureReservation, 'digest' | 'policyHash'>,
  { clocks, completeSince, isPaid }: { clocks: Clocks; completeSince: number; isPaid: boolean },
): ReservationResult {
  sums.requireValid(pkpId, charges)
  const { earlier, recordedAt } = clocks
  const states = sums.of(pkpId)
  if (isPaid) {
    const remaining = charges.map((charge) => ({
      charge,
      remaining: remainingOf(states.get(charge.key) ?? EMPTY_SUM, charge, earlier),
    }))
    return { isReserved: true, remaining }
  }
  const incomplete =
    policySetAt * 1_000 > completeSince
      ? undefined
      : charges.find(({ window_s }) => completeSince + window_s * 1_000 > earlier)
  if (incomplete)
    return {
      isReserved: false,
      charge: incomplete,
      remaining: 0n,
      availableAt: completeSince + incomplete.window_s * 1_000,
      restoredAt: completeSince,
    }
  const result = reserveCharges(states, charges, earlier, recordedAt)
  if (!result.isReserved) return result
  sums.set(pkpId, result.states)
  return { isReserved: true, remaining: result.remaining }
}
