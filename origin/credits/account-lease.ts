import type { Charge, LeaseAnswer, LeaseOrder } from './lease-order.ts'
import { LeaseSize } from './lease-size.ts'
import { UnsettledCharges } from './unsettled-charges.ts'
import { Waiting } from './waiting.ts'

/** Whether other processes have given back what they were asked for is looked at this often. */
const ASK_LOOK_MS = 50

/** A lease that nothing was taken from for this long goes back. */
export const LEASE_IDLE_MS = 10_000

type Look = { resolve: (answer: LeaseAnswer) => void; reject: (error: unknown) => void }

export type AccountLeaseOptions = {
  accountHash: string
  leaseId: string
  /** @throws {CreditsUnavailable} */
  carryOut: (order: LeaseOrder) => Promise<LeaseAnswer>
  /** How long an order's lease may be used, from before it was sent. */
  usableMs: number
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/**
 * Credit of one account that this process may spend without asking anybody. Orders go to the database one at a
 * time; one that was not answered is sent again as it was, before any other.
 */
export class AccountLease {
  readonly #options: AccountLeaseOptions
  readonly #charges = new UnsettledCharges()
  readonly #waiting = new Waiting()
  readonly #size = new LeaseSize()
  #held = 0
  #usableUntil = Number.NEGATIVE_INFINITY
  #reserved = 0
  #sequence = 0
  /** The order that has no answer yet, and who looks at its answer. */
  #order: LeaseOrder | undefined
  #looking: Look[] = []
  #looks: Look[] = []
  #giveBack = false
  #working: Promise<void> | undefined
  #usedAt: number

  constructor(options: AccountLeaseOptions) {
    this.#options = options
    this.#usedAt = options.now()
  }

  get id(): string {
    return this.#options.leaseId
  }

  /** Reserves out of what is held. @returns false where the database has to be asked */
  take(cents: number): boolean {
    this.#usedAt = this.#options.now()
    // While free credit is on its way back, or others wait for some, nobody takes of it.
    if (!this.#waiting.isEmpty || this.#order?.giveBack === true) return false
    return this.#take(cents)
  }

  /** Reserves, and asks for what is missing. @throws {PaymentRequired | CreditsUnavailable} */
  async reserve(cents: number): Promise<void> {
    if (!this.take(cents)) await this.#wait(cents)
  }

  /** Sees to it that a later `take` finds this much, without reserving it. Never rejects. */
  prepare(cents: number): void {
    this.#usedAt = this.#options.now()
    if (this.#free() >= cents) return
    this.#wait(cents).then(
      () => (this.#reserved -= cents),
      () => {},
    )
  }

  /** Ends a reservation: what was spent of it, if anything, is settled before long. */
  end(reservedCents: number, charge?: Charge): void {
    this.#usedAt = this.#options.now()
    this.#reserved -= reservedCents
    if (charge) this.#charges.add(charge)
  }

  /** How things stand once all that was spent here is settled. @throws {CreditsUnavailable} */
  async look(): Promise<{ answer: LeaseAnswer; reservedCents: number; spentCents: number }> {
    const answer = await new Promise<LeaseAnswer>((resolve, reject) => {
      this.#looks.push({ resolve, reject })
      void this.#work()
    })
    return { answer, reservedCents: this.#reserved, spentCents: this.#charges.cents }
  }

  /** Settles what is spent, and gives an idle lease back; a failure is made up for by the next call. */
  flush(): Promise<void> {
    const idle = this.#options.now() - this.#usedAt >= LEASE_IDLE_MS
    if (idle && this.#reserved === 0 && this.#held > 0) this.#giveBack = true
    return this.#work()
  }

  /** Settles what is spent and gives back what is free. */
  giveBack(): Promise<void> {
    this.#giveBack = true
    return this.#work()
  }

  /** The database has this lease no more. */
  lost(): void {
    this.#held = 0
    this.#usableUntil = Number.NEGATIVE_INFINITY
  }

  renewed(usableUntil: number): void {
    if (this.#held > 0) this.#usableUntil = Math.max(this.#usableUntil, usableUntil)
  }

  /** True when the database has this lease, and no order about it is under way. */
  get isHeld(): boolean {
    return this.#held > 0 && this.#order === undefined
  }

  /** True while orders are under way: what was spent meanwhile goes with the next of them. */
  get isWorking(): boolean {
    return this.#working !== undefined
  }

  /** True when the ledger has all that was spent, and no order is open. */
  get isSettled(): boolean {
    return !this.isWorking && !this.#hasWork()
  }

  /** True when nothing would be lost by forgetting this lease. */
  get isEmpty(): boolean {
    return this.isSettled && this.#held === 0 && this.#reserved === 0
  }

  #free(): number {
    if (this.#options.now() >= this.#usableUntil) return 0
    return this.#held - this.#reserved - this.#charges.cents
  }

  #take(cents: number): boolean {
    if (this.#free() < cents) return false
    this.#reserved += cents
    return true
  }

  #wait(cents: number): Promise<void> {
    const waited = this.#waiting.wait(cents)
    void this.#work()
    return waited
  }

  #hasWork(): boolean {
    const unsettled = this.#order !== undefined || this.#charges.areWaiting
    return unsettled || this.#giveBack || !this.#waiting.isEmpty || this.#looks.length > 0
  }

  /** @returns when there is nothing left to do, or the database did not answer */
  #work(): Promise<void> {
    if (!this.#hasWork()) return Promise.resolve()
    return (this.#working ??= this.#turns())
  }

  async #turns(): Promise<void> {
    try {
      while (this.#hasWork()) {
        await this.#turn()
        if (this.#waiting.isAsking) await this.#options.sleep(ASK_LOOK_MS)
      }
    } catch (error) {
      // What waited fails. What is spent stays, and so does the order, which may have been carried out.
      this.#waiting.fail(error)
      for (const look of [...this.#looking.splice(0), ...this.#looks.splice(0)]) look.reject(error)
    } finally {
      this.#working = undefined
    }
  }

  async #turn(): Promise<void> {
    const { now, usableMs, carryOut } = this.#options
    const order = (this.#order ??= this.#nextOrder())
    const usableUntil = now() + usableMs
    const answer = await carryOut(order)
    this.#order = undefined
    this.#held = answer.heldCents
    this.#usableUntil = usableUntil
    this.#charges.settled(order.charges)
    for (const look of this.#looking.splice(0)) look.resolve(answer)
    const take = (cents: number) => this.#take(cents)
    this.#waiting.answered(answer, now(), { take, free: () => this.#free() })
  }

  #nextOrder(): LeaseOrder {
    const giveBack = this.#giveBack
    this.#giveBack = false
    this.#looking = this.#looks.splice(0)
    const { needCents } = this.#waiting
    return {
      leaseId: this.id,
      accountHash: this.#options.accountHash,
      sequence: ++this.#sequence,
      charges: this.#charges.take(),
      reservedCents: this.#reserved,
      needCents,
      extraCents: needCents > 0 && !giveBack ? this.#size.next(this.#options.now()) : 0,
      giveBack,
      ask: this.#waiting.order(),
    }
  }
}
