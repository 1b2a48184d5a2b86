import type { AccountLease } from './account-lease.ts'
import {
  AccountSuspendedError,
  PaymentRequiredError,
  SpendCapReachedError,
} from './credit-errors.ts'
import type { Charge } from './lease-order.ts'

export type ExtendFailure = 'out_of_credits' | 'spend_cap_reached'

/** Cents of an account's credit and of a key's spending cap, reserved until they are charged or released. */
export class Reservation {
  readonly #lease: AccountLease
  readonly #keyHash: string
  #cents: number
  #open = true

  private constructor(lease: AccountLease, keyHash: string, cents: number) {
    this.#lease = lease
    this.#keyHash = keyHash
    this.#cents = cents
  }

  /** @throws {PaymentRequiredError | AccountSuspendedError | SpendCapReachedError | CreditsUnavailableError} */
  static async of(lease: AccountLease, keyHash: string, cents: number): Promise<Reservation> {
    await reserveCreditAndCap(lease, keyHash, cents)
    return new Reservation(lease, keyHash, cents)
  }

  /** Reserved amount in cents; 0 after the reservation was settled or released. */
  get cents(): number {
    return this.#open ? this.#cents : 0
  }

  /** Announces a later call of `extend`, so that the credit can be obtained in advance. */
  prepare(cents: number): void {
    if (!this.#open) return
    this.#lease.budgets.credit.prepare(cents)
    this.#lease.budgets.cap(this.#keyHash).prepare(cents)
  }

  /**
   * @returns undefined if the cents were reserved
   * @throws {CreditsUnavailableError}
   */
  async extend(cents: number): Promise<ExtendFailure | undefined> {
    try {
      await reserveCreditAndCap(this.#lease, this.#keyHash, cents)
    } catch (error) {
      if (error instanceof PaymentRequiredError || error instanceof AccountSuspendedError)
        return 'out_of_credits'
      if (error instanceof SpendCapReachedError) return 'spend_cap_reached'
      throw error
    }
    if (this.#open) this.#cents += cents
    else this.#end(cents, 0)
    return undefined
  }

  /**
   * Charges up to the reserved amount, and releases the rest. The charge exists only in memory until it is settled.
   * @throws {RangeError} if `cents` is below 1 or exceeds the reserved amount
   */
  settle(kind: Charge['kind'], cents: number, { subject }: Pick<Charge, 'subject'>): void {
    if (cents < 1 || cents > this.cents)
      throw new RangeError(`cannot charge ${cents} cents: only ${this.cents} are reserved`)
    this.#open = false
    this.#end(this.#cents, cents)
    this.#lease.charge({ kind, keyHash: this.#keyHash, subject, cents, quantity: 1 })
  }

  /** No effect after the reservation was settled or released. */
  release(): void {
    if (!this.#open) return
    this.#open = false
    this.#end(this.#cents, 0)
  }

  #end(reserved: number, charged: number): void {
    this.#lease.budgets.credit.release(reserved, charged)
    this.#lease.budgets.cap(this.#keyHash).release(reserved, charged)
  }
}

/**
 * Reserves credit first, then the cap. All processes use the same order: two processes that each held one and waited
 * for the other would both fail.
 */
async function reserveCreditAndCap(
  lease: AccountLease,
  keyHash: string,
  cents: number,
): Promise<void> {
  const { credit } = lease.budgets
  const cap = lease.budgets.cap(keyHash)
  if (!credit.take(cents)) {
    // Requests the cap in advance, so that one order includes both requests.
    cap.prepare(cents)
    await credit.reserve(() => cents)
  }
  try {
    if (!cap.take(cents)) await cap.reserve(() => cents)
  } catch (error) {
    credit.release(cents)
    throw error
  }
}
