import type { Charge } from './settle-charges.ts'

/** Bounds the size of statements: an account may run any number of actions. */
const CHARGES_MAX = 500

export class UnsettledCharges {
  readonly #sums = new Map<string, Charge>()
  #cents = 0

  get cents(): number {
    return this.#cents
  }

  get hasCharges(): boolean {
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

  take(): Charge[] {
    const charges = [...this.#sums].slice(0, CHARGES_MAX)
    for (const [key] of charges) this.#sums.delete(key)
    const taken = charges.map(([, charge]) => charge)
    this.#cents -= taken.reduce((sum, { cents }) => sum + cents, 0)
    return taken
  }
}
