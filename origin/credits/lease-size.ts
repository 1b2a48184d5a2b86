/** Free credit that a process takes beyond what it needs: 25 seconds of one run, without asking again. */
const EXTRA_CENTS = 25

/** Twice as much each time that it has to ask again within the span, up to the most; else half as much. */
const GROWS_MS = 1_000
const EXTRA_MAX_CENTS = EXTRA_CENTS * 2 ** 9

/** How much credit a process takes along, by how fast the account spends: so that orders stay rare. */
export class LeaseSize {
  #extraCents = EXTRA_CENTS
  #askedAt = Number.NEGATIVE_INFINITY

  /** @returns what to ask for beyond the need, in an order that is made now */
  next(now: number): number {
    const soon = now - this.#askedAt < GROWS_MS
    this.#askedAt = now
    const extra = Math.floor(soon ? this.#extraCents * 2 : this.#extraCents / 2)
    this.#extraCents = Math.min(EXTRA_MAX_CENTS, Math.max(EXTRA_CENTS, extra))
    return this.#extraCents
  }
}
