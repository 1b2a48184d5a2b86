import { TooManyPayments } from './too-many-payments.ts'

const MINUTE_MS = 60_000

/** Two a second; a client that waits for a payment asks each 5 s. */
const QUESTIONS_PER_MINUTE = 120

/** How often accounts ask for their payments, of which each question is one to the processor. */
export class QuestionRate {
  readonly #now: () => number
  readonly #asked = new Map<string, number>()
  #minute = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws {TooManyPayments} until the next minute begins */
  take(accountHash: string): void {
    const now = this.#now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#asked.clear()
    this.#minute = minute
    const asked = this.#asked.get(accountHash) ?? 0
    if (asked >= QUESTIONS_PER_MINUTE)
      throw new TooManyPayments(
        `this account has asked for its payments ${asked} times in a minute`,
        (minute + 1) * MINUTE_MS - now,
      )
    this.#asked.set(accountHash, asked + 1)
  }
}
