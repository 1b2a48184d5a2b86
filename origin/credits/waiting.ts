import type { LeaseAnswer } from './lease-order.ts'
import { CreditsUnavailable, PaymentRequired } from './shortage.ts'

/** Other processes have this long to give back what they do not need, before it is said that nobody knows. */
export const ASK_WAIT_MS = 2_000

type Waiter = { cents: number; resolve: () => void; reject: (error: unknown) => void }

/** A question to other processes: which of their leases, up to which number, and who waits for the answer. */
type Round = { leases: Map<string, number>; waiters: Set<Waiter>; until: number }

/** Those who wait for credit of one account, in order of arrival: a large need is not overtaken for ever by small ones. */
export class Waiting {
  #waiters: Waiter[] = []
  /** Who waited when the order was made that asks the other processes. */
  #asking: Set<Waiter> | undefined
  #round: Round | undefined

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** True while other processes have still to answer. */
  get isAsking(): boolean {
    return this.#round !== undefined
  }

  get needCents(): number {
    return this.#waiters.reduce((sum, { cents }) => sum + cents, 0)
  }

  /** @returns when so much could be taken @throws {PaymentRequired | CreditsUnavailable} */
  wait(cents: number): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiters.push({ cents, resolve, reject }))
  }

  /** An order is made. @returns whether it has to ask the other processes */
  order(): boolean {
    const ask = !this.isEmpty && !this.#round
    if (ask) this.#asking = new Set(this.#waiters)
    return ask
  }

  /**
   * An order was answered: serves whom it can, and refuses those whom nobody has credit for.
   * @param take takes credit that is free, or says that there is not so much
   * @param free what is free
   */
  answered(
    answer: LeaseAnswer,
    now: number,
    { take, free }: { take: (cents: number) => boolean; free: () => number },
  ): void {
    this.#serve(take)
    this.#begin(answer, now)
    this.#asking = undefined
    const round = this.#round
    if (!round) return
    const open = answer.others.some(({ id, answered }) => answered < (round.leases.get(id) ?? 0))
    if (open && now < round.until && !this.isEmpty) return
    this.#round = undefined
    for (let next = this.#waiters[0]; next && round.waiters.has(next); next = this.#waiters[0]) {
      this.#waiters.shift()
      next.reject(
        open
          ? new CreditsUnavailable('a process that holds credit of this account does not answer')
          : new PaymentRequired(
              next.cents,
              Math.max(0, free()) + answer.availableCents,
              answer.debtCents,
            ),
      )
      // What is not enough for one may be enough for the next.
      this.#serve(take)
    }
  }

  /** The order was not answered. */
  fail(error: unknown): void {
    this.#round = undefined
    this.#asking = undefined
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }

  #begin({ others }: LeaseAnswer, now: number): void {
    if (!this.#asking || this.isEmpty) return
    const leases = new Map(others.map(({ id, asked }) => [id, asked]))
    this.#round = { leases, waiters: this.#asking, until: now + ASK_WAIT_MS }
  }

  #serve(take: (cents: number) => boolean): void {
    for (let next = this.#waiters[0]; next && take(next.cents); next = this.#waiters[0]) {
      this.#waiters.shift()
      next.resolve()
    }
  }
}
