/** Minimum extra amount that is leased beyond the need. It covers 25 seconds of one run without another order. */
const EXTRA_CENTS = 25

/** Time within which another order doubles the extra amount. A later order halves it. */
const GROWTH_WINDOW_MS = 1_000
const EXTRA_MAX_CENTS = EXTRA_CENTS * 2 ** 9

/** Adapts a lease's extra amount to the rate of use, so that orders to the database stay rare. */
export class LeaseSize {
  readonly #unit: number
  #extraCents = EXTRA_CENTS
  #requestedAt = Number.NEGATIVE_INFINITY

  /** @param unit amount that corresponds to one cent: 1 if the budget is in cents, 1,000 if it is in milliseconds */
  constructor(unit: number) {
    this.#unit = unit
  }

  next(now: number): number {
    const soon = now - this.#requestedAt < GROWTH_WINDOW_MS
    this.#requestedAt = now
    const extra = Math.floor(soon ? this.#extraCents * 2 : this.#extraCents / 2)
    this.#extraCents = Math.min(EXTRA_MAX_CENTS, Math.max(EXTRA_CENTS, extra))
    return this.#extraCents * this.#unit
  }
}
