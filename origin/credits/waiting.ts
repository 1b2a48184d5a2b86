import type { BudgetAnswer, HeldElsewhere } from './budget-order.ts'
import { CreditsUnavailable } from './shortage.ts'

/** Time within which other processes must return free amounts. After that, waiting callers get `CreditsUnavailable`. */
export const ASK_WAIT_MS = 2_000

export type Waiter = {
  /**
   * Computes how much the caller needs. Called again when credit becomes free, because a caller that takes whatever
   * remains cannot name an amount in advance.
   */
  amount: () => number
  /** True if the amount must be reserved for the caller. False if it only has to be available. */
  reserves: boolean
  /**
   * Deadline for repeated requests. Before it, other processes are asked again if another process took the credit that
   * they returned.
   */
  until: number
  resolve: (amount: number) => void
  reject: (error: unknown) => void
}

/**
 * A request to other processes, with the state of their leases at the time of the request and the callers that wait for
 * the answers.
 */
type Round = { leases: Map<string, HeldElsewhere>; waiters: Set<Waiter>; until: number }

/**
 * Queue of callers that wait for one budget. They are served in order of arrival, so that small requests cannot starve
 * a large one.
 */
export class Waiting {
  #waiters: Waiter[] = []
  /**
   * Callers that were waiting when the current order with a request to other processes was made. Undefined if the
   * current order has no such request.
   */
  #asking: Set<Waiter> | undefined
  #round: Round | undefined

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** True while other processes have not answered a request yet. */
  get isAsking(): boolean {
    return this.#round !== undefined
  }

  get need(): number {
    return this.#waiters.reduce((sum, { amount }) => sum + amount(), 0)
  }

  /**
   * Waits until an amount is available.
   * @returns the amount that was available
   * @throws the error created by `refuse`, or CreditsUnavailable
   */
  wait({ amount, reserves }: Pick<Waiter, 'amount' | 'reserves'>, now: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const until = now + ASK_WAIT_MS
      this.#waiters.push({ amount, reserves, until, resolve, reject })
    })
  }

  /**
   * Called when an order is created.
   * @returns true if the order must ask the other processes to return free amounts
   */
  order(): boolean {
    const ask = !this.isEmpty && !this.#round
    if (ask) this.#asking = new Set(this.#waiters)
    return ask
  }

  /**
   * Called after an order was answered. Serves the callers in order, and rejects those that ask for more than is
   * available in all processes.
   * @param serve serves a caller if its amount is free, and returns false otherwise
   */
  answered(
    answer: Pick<BudgetAnswer, 'others'>,
    now: number,
    { serve, refuse }: { serve: (waiter: Waiter) => boolean; refuse: (amount: number) => Error },
  ): void {
    this.#serve(serve)
    this.#begin(answer, now)
    this.#asking = undefined
    const round = this.#round
    if (!round) return
    const asked = (id: string) => round.leases.get(id)
    const open = answer.others.some(({ id, answered }) => answered < (asked(id)?.asked ?? 0))
    if (open && now < round.until && !this.isEmpty) return
    this.#round = undefined
    // If another process holds more than before, or more than it reserves, then it took some of the returned amount and
    // possibly more than it needs. It must be asked again.
    const moved = answer.others.some(
      ({ id, held, reserved = held }) => held > (asked(id)?.held ?? 0) || held > reserved,
    )
    for (let next = this.#waiters[0]; next && round.waiters.has(next); next = this.#waiters[0]) {
      if (moved && now < next.until) return
      this.#waiters.shift()
      next.reject(
        open || moved
          ? new CreditsUnavailable(
              'a process that leases credits of this account did not respond in time',
            )
          : refuse(next.amount()),
      )
      // The amount may be too small for this caller, but enough for the next one.
      this.#serve(serve)
    }
  }

  fail(error: unknown): void {
    this.#round = undefined
    this.#asking = undefined
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }

  #begin({ others }: Pick<BudgetAnswer, 'others'>, now: number): void {
    if (!this.#asking || this.isEmpty) return
    const leases = new Map(others.map((other) => [other.id, other]))
    this.#round = { leases, waiters: this.#asking, until: now + ASK_WAIT_MS }
  }

  #serve(serve: (waiter: Waiter) => boolean): void {
    for (let next = this.#waiters[0]; next && serve(next); next = this.#waiters[0])
      this.#waiters.shift()
  }
}
