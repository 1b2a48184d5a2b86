import type { Database } from '../db/open.ts'
import { inTime, type Sleep } from '../db/in-time.ts'
import type { Log } from '../log.ts'
import { AccountLease } from './account-lease.ts'
import { dollars } from './dollars.ts'
import { carryOut, type LeaseAnswer, type LeaseOrder } from './lease-order.ts'
import { askedLeases, reapLeases, renewLeases } from './lease-rows.ts'
import { Reservation } from './reservation.ts'
import { CreditsUnavailable } from './shortage.ts'

/** A lease that is not renewed for this long returns to its account. */
export const LEASE_MS = 30_000

/** It is spent from for a third less: clocks of processes differ, and the answer to an order takes time. */
export const LEASE_USABLE_MS = 20_000

/** Accounts that are settled side by side: fewer than the connections to the database. */
const FLUSHES_AT_ONCE = 4

/** A ledger that is silent for this long does not answer. */
const ORDER_WAIT_MS = 5_000

/** What is not settled when a process ends is lost to us: a connection that breaks just then is worth other tries. */
const CLOSE_WAIT_MS = 5_000
const CLOSE_PAUSE_MS = 100

export type CreditsOptions = {
  db: Database
  /** No other process can have the database open: leases of other processes are of dead ones. */
  exclusive: boolean
  processId: string
  /** Granted to an account when its credit is first asked for. */
  starterCents: number
  /** What the clocks of all processes say: when leases expire. */
  now: () => number
  /** What a change of the machine's clock does not move: how long a lease of this process may be used. */
  monotonic: () => number
  sleep: Sleep
  /** An id that nothing else has. */
  newId: () => string
  log: Log
}

/** What an account has, in cents. */
export type Balance = {
  balance_cents: number
  reserved_cents: number
  debt_cents: number
  balance_display: string
}

/**
 * Credit of accounts, spent by this process out of leases: a reservation that the lease covers asks nobody, and
 * what the leases of all processes hold is never more than the account has.
 */
export class Credits {
  readonly #options: CreditsOptions
  readonly #leases = new Map<string, AccountLease>()
  #closed = false

  constructor(options: CreditsOptions) {
    this.#options = options
  }

  /** Returns the leases of dead processes where all others are dead. Before the first reservation. */
  async recover(): Promise<void> {
    const { db, exclusive, processId, now } = this.#options
    if (exclusive) await reapLeases(db, { exceptProcess: processId }, new Date(now()))
  }

  /**
   * Cents of an account that nobody else can spend.
   * @throws {PaymentRequired} when the account has not so much
   * @throws {CreditsUnavailable} when nobody knows
   */
  async reserve(accountHash: string, cents: number): Promise<Reservation> {
    const lease = this.#lease(accountHash)
    if (!lease.take(cents)) await lease.reserve(cents)
    return new Reservation(lease, cents)
  }

  /** What can be spent, and what is reserved for what is under way. @throws {CreditsUnavailable} */
  async balance(accountHash: string): Promise<Balance> {
    const { answer, reservedCents, spentCents } = await this.#lease(accountHash).look()
    const elsewhere = answer.others.reduce((sum, lease) => sum + lease.reservedCents, 0)
    const reserved = reservedCents + elsewhere
    const balance = Math.max(0, answer.balanceCents - spentCents - reserved)
    return {
      balance_cents: balance,
      reserved_cents: reserved,
      debt_cents: answer.debtCents,
      balance_display: dollars(balance),
    }
  }

  /** Settles what was spent, gives idle leases back and forgets those that hold nothing. */
  async flush(): Promise<void> {
    const left = this.#leases.entries()
    const worker = async () => {
      for (const [accountHash, lease] of left) {
        // One that is at work settles what it has as well, and may wait for other processes meanwhile.
        if (!lease.isWorking) await lease.flush()
        if (lease.isEmpty) this.#leases.delete(accountHash)
      }
    }
    await Promise.all(Array.from({ length: FLUSHES_AT_ONCE }, worker))
  }

  /** Looks what other processes have asked for, and begins to give it back. @throws {Error} of the database */
  async answer(): Promise<void> {
    const { db, exclusive, processId } = this.#options
    if (exclusive || this.#leases.size === 0) return
    for (const accountHash of await askedLeases(db, processId))
      // Not awaited: it may wait for other processes itself, and the next account's is asked for too.
      void this.#leases.get(accountHash)?.giveBack()
  }

  /** Gives back what is free of an account's credit here, since some of it was taken back. Never rejects. */
  giveBack(accountHash: string): void {
    void this.#leases.get(accountHash)?.giveBack()
  }

  /** Renews the leases of this process, and returns those that others let expire. @throws {Error} of the database */
  async renew(): Promise<void> {
    const { db, now, monotonic } = this.#options
    const usableUntil = monotonic() + LEASE_USABLE_MS
    const held = [...this.#leases.values()].filter((lease) => lease.isHeld)
    const ids = held.map(({ id }) => id)
    const renewed = new Set(await renewLeases(db, ids, new Date(now() + LEASE_MS)))
    for (const lease of held) {
      if (renewed.has(lease.id)) lease.renewed(usableUntil)
      else if (lease.isHeld) lease.lost()
    }
    const at = new Date(now())
    await reapLeases(db, { expiredBefore: at }, at)
  }

  /** Settles and gives back everything; what is still reserved returns when its lease expires. */
  async close(): Promise<void> {
    this.#closed = true
    const { monotonic, sleep } = this.#options
    const until = monotonic() + CLOSE_WAIT_MS
    const closed = [...this.#leases.values()].map(async (lease) => {
      await lease.giveBack()
      while (!lease.isSettled && monotonic() < until) {
        await sleep(CLOSE_PAUSE_MS)
        await lease.giveBack()
      }
    })
    await Promise.all(closed)
  }

  #lease(accountHash: string): AccountLease {
    if (this.#closed) throw new CreditsUnavailable('this process is ending')
    const known = this.#leases.get(accountHash)
    if (known) return known
    const lease = new AccountLease({
      accountHash,
      leaseId: this.#options.newId(),
      carryOut: (order) => this.#carryOut(order),
      usableMs: LEASE_USABLE_MS,
      now: this.#options.monotonic,
      sleep: this.#options.sleep,
    })
    this.#leases.set(accountHash, lease)
    return lease
  }

  async #carryOut(order: LeaseOrder): Promise<LeaseAnswer> {
    const { db, processId, starterCents, now, sleep, log } = this.#options
    const at = now()
    const terms = {
      processId,
      starterCents,
      at: new Date(at),
      expiresAt: new Date(at + LEASE_MS),
    }
    const carried = db.transaction((tx) => carryOut(tx, order, terms))
    const answer = await inTime(ORDER_WAIT_MS, carried, sleep).catch((error: unknown) => {
      // For any failure: then nobody knows whether the transaction was carried out.
      throw new CreditsUnavailable('the ledger does not answer', { cause: error })
    })
    if (answer.unpaidCents > 0) log('credits.unpaid', { cents: answer.unpaidCents })
    return answer
  }
}
