import type { AccountLease } from './account-lease.ts'
import type { ChargeKind } from './ledger.ts'
import { PaymentRequired } from './shortage.ts'

/** What a charge is for: the operation, or the CID of the action. */
export type ChargeReference = { subject: string }

/** Cents of an account that nobody else can spend, until they are settled or released. */
export class Reservation {
  readonly #lease: AccountLease
  readonly #keyHash: string
  #cents: number
  #open = true

  /** @param cents are reserved in the lease already, for this key */
  constructor(lease: AccountLease, keyHash: string, cents: number) {
    this.#lease = lease
    this.#keyHash = keyHash
    this.#cents = cents
  }

  /** What is reserved; 0 when it has ended. */
  get cents(): number {
    return this.#open ? this.#cents : 0
  }

  /** Says that `extend` will ask for so much soon, so that the credit is there by then. */
  prepare(cents: number): void {
    if (this.#open) this.#lease.prepare(cents)
  }

  /** Reserves more. @returns false where the account has not so much @throws {CreditsUnavailable} */
  async extend(cents: number): Promise<boolean> {
    try {
      await this.#lease.reserve(cents)
    } catch (error) {
      if (error instanceof PaymentRequired) return false
      throw error
    }
    if (this.#open) this.#cents += cents
    else this.#lease.end(cents)
    return true
  }

  /**
   * Charges at most what is reserved, and frees the rest. The charge is in memory when this returns, and in the
   * ledger before long.
   * @throws {RangeError} for more than is reserved
   */
  settle(kind: ChargeKind, cents: number, { subject }: ChargeReference): void {
    if (cents < 1 || cents > this.cents)
      throw new RangeError(`${cents} of ${this.cents} reserved cents cannot be charged`)
    this.#open = false
    this.#lease.end(this.#cents, { kind, keyHash: this.#keyHash, subject, cents, quantity: 1 })
  }

  /** Frees what is reserved; nothing is charged. Does nothing when the reservation has ended. */
  release(): void {
    if (!this.#open) return
    this.#open = false
    this.#lease.end(this.#cents)
  }
}
