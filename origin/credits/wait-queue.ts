import type { BudgetAnswer, OtherLease } from './lease-order.ts'
import { CreditsUnavailableError } from './credit-errors.ts'

/**
 * Time within which other processes must return free amounts. After that, waiting callers get
 * `CreditsUnavailableError`.
 */
export const RETURN_TIMEOUT_MS = 2_000

export type Waiter = {
  /**
   * Returns the amount to reserve. Called again when credit becomes free, because a caller that takes whatever remains
   * cannot name an amount in advance.
   */
  amount: () => number
  /** False if the amount only has to be available and is not reserved. */
  reserves: boolean
  /** Deadline until which other processes are asked again if another process took the credit that they returned. */
  until: number
  resolve: (amount: number) => void
  reject: (error: unknown) => void
}

/**
 * Pending request that asks the other processes to return free amounts. `leases` are their leases at the time of the
 * request, and `waiters` the callers that wait for the answers.
 */
type PendingRequest = { leases: Map<string, OtherLease>; waiters: Set<Waiter>; until: number }

/**
 * Callers that wait for an amount. They are served in order of arrival, so that small requests cannot starve a large
 * one.
 */
export class WaitQueue {
  #waiters: Waiter[] = []
  /**
   * Callers that were waiting when the current order was created. Undefined if the order does not ask other processes.
   */
  #requesters: Set<Waiter> | undefined
  #pending: PendingRequest | undefined

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  get isAwaitingReturns(): boolean {
    return this.#pending !== undefined
  }

  get need(): number {
    return this.#waiters.reduce((sum, { amount }) => sum + amount(), 0)
  }

  /** @throws the error created by `refuse`, or CreditsUnavailableError */
  wait({ amount, reserves }: Pick<Waiter, 'amount' | 'reserves'>, now: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const until = now + RETURN_TIMEOUT_MS
      this.#waiters.push({ amount, reserves, until, resolve, reject })
    })
  }

  /** Returns true if the order must ask the other processes to return free amounts. */
  beginOrder(): boolean {
    const ask = !this.isEmpty && !this.#pending
    if (ask) this.#requesters = new Set(this.#waiters)
    return ask
  }

  /**
   * Serves the callers in order, and rejects callers that need more than all processes together have available.
   * @param serve returns false if the caller's amount is not free
   */
  applyAnswer(
    answer: Pick<BudgetAnswer, 'others'>,
    now: number,
    { serve, refuse }: { serve: (waiter: Waiter) => boolean; refuse: (amount: number) => Error },
  ): void {
    this.#serve(serve)
    this.#startRequest(answer, now)
    this.#requesters = undefined
    const pending = this.#pending
    if (!pending) return
    const leaseAtRequest = (id: string) => pending.leases.get(id)
    const open = answer.others.some(
      ({ id, answered }) => answered < (leaseAtRequest(id)?.asked ?? 0),
    )
    if (open && now < pending.until && !this.isEmpty) return
    this.#pending = undefined
    // Asks processes again if a lease has grown since the last request or exceeds its reservations. Such a process took
    // some of the returned amount, and possibly more than it needs.
    const moved = answer.others.some(
      ({ id, held, reserved = held }) => held > (leaseAtRequest(id)?.held ?? 0) || held > reserved,
    )
    for (let next = this.#waiters[0]; next && pending.waiters.has(next); next = this.#waiters[0]) {
      if (moved && now < next.until) return
      this.#waiters.shift()
      next.reject(
        open || moved
          ? new CreditsUnavailableError(
              'a process that leases credits of this account did not respond in time',
            )
          : refuse(next.amount()),
      )
      // The free amount may be too small for this caller, but enough for the next one.
      this.#serve(serve)
    }
  }

  fail(error: unknown): void {
    this.#pending = undefined
    this.#requesters = undefined
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }

  #startRequest({ others }: Pick<BudgetAnswer, 'others'>, now: number): void {
    if (!this.#requesters || this.isEmpty) return
    const leases = new Map(others.map((other) => [other.id, other]))
    this.#pending = { leases, waiters: this.#requesters, until: now + RETURN_TIMEOUT_MS }
  }

  #serve(serve: (waiter: Waiter) => boolean): void {
    for (let next = this.#waiters[0]; next && serve(next); next = this.#waiters[0])
      this.#waiters.shift()
  }
}
