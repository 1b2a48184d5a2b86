import type { Charge } from '../../shared/policies/charges.ts'
import type { RemainingSum } from '../../shared/policies/sum-states.ts'

/** Charges of a signature that does not exist yet. Hex is in lower case. */
export type SignatureReservation = {
  pkpId: string
  /** A digest that the wallet has already paid for is not charged again, because its signature may exist. */
  digest: string
  policyHash: string
  /** Unix time in seconds at which the policy was set, by the chain's clock. */
  policySetAt: number
  charges: readonly Charge[]
}

export type ReservationResult =
  | { isReserved: true; remaining: readonly RemainingSum[] }
  | {
      isReserved: false
      charge: Charge
      remaining: bigint
      /** Unix time in milliseconds. Undefined if the charge exceeds the maximum of the sum. */
      availableAt: number | undefined
      /**
       * Set if the sum may have lost amounts, because the database was restored or failed over at this time (Unix time
       * in milliseconds). Setting the policy again lifts the refusal.
       */
      restoredAt?: number
    }

export type SumsLedger = {
  /**
   * Reserves all charges or none. What is reserved counts as spent, whether or not the signature is created.
   * @throws {DatabaseUnavailableError}
   */
  reserve(reservation: SignatureReservation): Promise<ReservationResult>
}
