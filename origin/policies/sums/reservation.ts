import type { Charge } from '../../../shared/policies/charges.ts'
import { UINT256_MAX } from '../../../shared/policies/numbers.ts'
import type { RemainingSum } from '../../../shared/policies/sum-states.ts'

/** Charges for a signature that is not created yet. */
export type SignatureReservation = {
  /** In lower case, like all hex here, because keys are compared as text. */
  pkpId: string
  digest: string
  policyHash: string
  /** Unix time in seconds at which the policy was last set, by the chain's clock. */
  policySetAt: number
  charges: readonly Charge[]
  /**
   * A transaction of which at most one of the two can take effect, for example because both have the same nonce, with
   * its charges under the same policy. If that policy reserved it in the last 30 days, only the difference is charged.
   */
  replaces?: { digest: string; charges: readonly Charge[] }
  /** Stores the digest even if there are no charges. */
  isRecorded?: boolean
}

export type ReservationResult =
  | { isReserved: true; remaining: readonly RemainingSum[] }
  | {
      isReserved: false
      charge: Charge
      remaining: bigint
      /** Unix time in milliseconds at which the sum has room. Undefined if the charge exceeds the sum's maximum. */
      availableAt: number | undefined
      /**
       * Set if the sum may have lost amounts, because the database was restored or failed over at this time (Unix time
       * in milliseconds). Signing is possible again after the policy has been set again.
       */
      restoredAt?: number
    }

const PKP_ID = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const HASH = /^0x[0-9a-f]{64}$/

/** Keys consist of names, numbers and addresses. Postgres cannot store or index arbitrary text. */
const KEY = /^[\x20-\x7e]{1,512}$/

/** @throws {TypeError} if a value is not in the form in which it is stored and compared */
export function requireValid(reservation: SignatureReservation): void {
  const { pkpId, digest, policyHash, policySetAt, charges, replaces } = reservation
  requireWallet(pkpId)
  if (!HASH.test(digest)) throw new TypeError('digest: expected 32 bytes in lower-case hex')
  if (replaces && !HASH.test(replaces.digest))
    throw new TypeError('replaces.digest: expected 32 bytes in lower-case hex')
  if (!HASH.test(policyHash)) throw new TypeError('policyHash: expected 32 bytes in lower-case hex')
  if (!Number.isSafeInteger(policySetAt) || policySetAt < 0)
    throw new TypeError('policySetAt: expected Unix seconds')
  for (const [index, { key, amount, max, window_s }] of charges.entries()) {
    const path = `charges[${index}]`
    if (!KEY.test(key)) throw new TypeError(`${path}.key: expected 1 to 512 ASCII characters`)
    if (![amount, max].every(isUint256))
      throw new TypeError(`${path}: expected amounts from 0 to 2^256 - 1`)
    if (!Number.isSafeInteger(window_s) || window_s < 1)
      throw new TypeError(`${path}.window_s: expected seconds`)
  }
}

/** Checked here, because an invalid value would fail the transaction that other wallets share. */
const isUint256 = (value: unknown) =>
  typeof value === 'bigint' && value >= 0n && value <= UINT256_MAX

/** Returns what a reservation adds to the sums if the charges of the replaced transaction were reserved. */
export function differences({ charges, replaces }: SignatureReservation): Charge[] {
  const replaced = new Map(replaces?.charges.map(({ key, amount }) => [key, amount]))
  return charges.map((charge) => {
    const more = charge.amount - (replaced.get(charge.key) ?? 0n)
    return { ...charge, amount: more > 0n ? more : 0n }
  })
}

/** @throws {TypeError} */
export function requireWallet(pkpId: string): void {
  if (!PKP_ID.test(pkpId)) throw new TypeError('pkpId: expected lower-case hex')
}
