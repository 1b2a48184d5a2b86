import type { BudgetAnswer, HeldElsewhere } from './budget-order.ts'
import { CreditsUnavailable } from './shortage.ts'

/** Other processes have this long to give back what they do not need, before it is said that nobody knows. */
export const ASK_WAIT_MS = 2_000

export type Waiter = {
  /** As it is at that moment: who would take what is left does not know before how much that is. */
  amount: () => number
  /** False where it is enough that so much is there. */
  reserves: boolean
  /** Others are asked again until then, where what they gave back went elsewhere. */
  until: number
  resolve: (amount: number) => void
  reject: (error: unknown) => void
}

/** A question to other processes: their leases as they were when they were asked, and who waits for the answer. */
type Round = { leases: Map<string, HeldElsewhere>; waiters: Set<Waiter>; until: number }

/** Those who wait for one budget, in order of arrival: a large need is not overtaken for ever by small ones. */
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

  get need(): number {
    return this.#waiters.reduce((sum, { amount }) => sum + amount(), 0)
  }

  /** @returns how much was there @throws what `refuse` makes, or CreditsUnavailable */
  wait({ amount, reserves }: Pick<Waiter, 'amount' | 'reserves'>, now: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const until = now + ASK_WAIT_MS
      this.#waiters.push({ amount, reserves, until, resolve, reject })
    })
  }

  /** An order is made. @returns whether it has to ask the other processes */
  order(): boolean {
    const ask = !this.isEmpty && !this.#round
    if (ask) this.#asking = new Set(this.#waiters)
    return ask
  }

  /**
   * An order was answered: serves whom it can, and refuses those for whom nobody has enough.
   * @param serve takes what is free, or says that there is not so much
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
    // Another process took what was given back, and may have taken more than it needs: it has to be asked as well.
    const moved = answer.others.some(({ id, held }) => held > (asked(id)?.held ?? 0))
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
      // What is not enough for one may be enough for the next.
      this.#serve(serve)
    }
  }

  /** The order was not answered. */
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
