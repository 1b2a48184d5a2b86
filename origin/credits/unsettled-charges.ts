import type { Charge } from './settling.ts'

/** So many go into one order at most: a statement has an end, and the actions of an account have none. */
const CHARGES_MAX = 500

/** Charges that are not known to be in the ledger: summed by kind, key and subject until an order takes them along. */
export class UnsettledCharges {
  readonly #sums = new Map<string, Charge>()
  #cents = 0

  /** What no order has yet. */
  get cents(): number {
    return this.#cents
  }

  /** True when no order has them yet. */
  get areWaiting(): boolean {
    return this.#sums.size > 0
  }

  add(charge: Charge): void {
    const key = `${charge.kind} ${charge.keyHash} ${charge.subject}`
    const sum = this.#sums.get(key)
    this.#cents += charge.cents
    this.#sums.set(key, {
      ...charge,
      cents: charge.cents + (sum?.cents ?? 0),
      quantity: charge.quantity + (sum?.quantity ?? 0),
    })
  }

  /** Hands them to an order, as many as one takes. */
  take(): Charge[] {
    const charges = [...this.#sums].slice(0, CHARGES_MAX)
    for (const [key] of charges) this.#sums.delete(key)
    const taken = charges.map(([, charge]) => charge)
    this.#cents -= taken.reduce((sum, { cents }) => sum + cents, 0)
    return taken
  }
}
