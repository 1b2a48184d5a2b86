import type { BudgetAnswer, HeldElsewhere } from './budget-order.ts'
import { CreditsUnavailable } from './shortage.ts'

/** How long other processes have to return free amounts, before callers get `CreditsUnavailable`. */
export const ASK_WAIT_MS = 2_000

export type Waiter = {
  /** Evaluated at that moment: a caller that takes the remainder does not know its size in advance. */
  amount: () => number
  /** False if the amount only has to be available. */
  reserves: boolean
  /** Until this deadline, other processes are asked again if another process took the credit they released. */
  until: number
  resolve: (amount: number) => void
  reject: (error: unknown) => void
}

/** A request to other processes: the state of their leases at that time, and the callers that wait for the answers. */
type Round = { leases: Map<string, HeldElsewhere>; waiters: Set<Waiter>; until: number }

/** Callers that wait for one budget, in order of arrival, so that small requests cannot starve a large one. */
export class Waiting {
  #waiters: Waiter[] = []
  /** Callers that were waiting when the order that asks other processes was made. */
  #asking: Set<Waiter> | undefined
  #round: Round | undefined

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** True while answers of other processes are outstanding. */
  get isAsking(): boolean {
    return this.#round !== undefined
  }

  get need(): number {
    return this.#waiters.reduce((sum, { amount }) => sum + amount(), 0)
  }

  /**
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
   * Called when an order is made.
   * @returns true if the order must ask the other processes
   */
  order(): boolean {
    const ask = !this.isEmpty && !this.#round
    if (ask) this.#asking = new Set(this.#waiters)
    return ask
  }

  /**
   * Called when an order was answered. Serves callers in order, and rejects those that no process has enough for.
   * @param serve takes the amount if it is free, and returns false otherwise
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
              'a process that holds credit of this account did not answer in time',
            )
          : refuse(next.amount()),
      )
      // An amount that is not enough for one caller may be enough for the next.
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
