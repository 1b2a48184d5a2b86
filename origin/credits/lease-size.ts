/** Free credit that a process takes beyond what it needs: 25 seconds of one run, without asking again. */
const EXTRA_CENTS = 25

/** Twice as much each time that it has to ask again within the span, up to the most; else half as much. */
const GROWS_MS = 1_000
const EXTRA_MAX_CENTS = EXTRA_CENTS * 2 ** 9

/** How much a process takes along of a budget, by how fast it is used: so that orders stay rare. */
export class LeaseSize {
  readonly #unit: number
  #extraCents = EXTRA_CENTS
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param unit what is worth a cent: 1 of cents, 1,000 of milliseconds */
  constructor(unit: number) {
    this.#unit = unit
  }

  /** @returns what to ask for beyond the need, in an order that is made now */
  next(now: number): number {
    const soon = now - this.#askedAt < GROWS_MS
    this.#askedAt = now
    const extra = Math.floor(soon ? this.#extraCents * 2 : this.#extraCents / 2)
    this.#extraCents = Math.min(EXTRA_MAX_CENTS, Math.max(EXTRA_CENTS, extra))
    return this.#extraCents * this.#unit
  }
}
