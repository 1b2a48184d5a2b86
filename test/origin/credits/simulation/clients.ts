import type { Reservation } from '../../../../origin/credits/reservation.ts'
import {
  CreditsUnavailableError,
  PaymentRequiredError,
  SpendCapReachedError,
} from '../../../../origin/credits/credit-errors.ts'
import { isTrouble, type Payers } from './payers.ts'
import type { OriginProcess } from './origin-process.ts'
import type { Random } from './random.ts'
import type { Operation, Reference } from './reference.ts'
import { type Trace, Violation } from './trace.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Hashes of an account's keys. */
const KEYS = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]

/** A key that never gets a cap. */
const NO_CAP = `0x${'ef'.repeat(32)}`

/** Longer than a simulation, so that all spending stays in the window. */
const WINDOW_SECONDS = 86_400

export type ClientsOptions = {
  time: VirtualTime
  trace: Trace
  random: Random
  reference: Reference
  hashOf: (account: string) => string
  /** True if nothing fails; `CreditsUnavailableError` is then an error. */
  isCalm: boolean
  payers: Payers
  isKnown: (account: string) => boolean
  fail: (error: Error) => void
}

/** Clients that call processes at random: writes, runs, balances, caps, top-ups and refunds. */
export class Clients {
  readonly accounts: readonly string[]
  readonly starterCents: number
  readonly #options: ClientsOptions
  readonly #serving = new Map<OriginProcess, number>()

  constructor(options: ClientsOptions) {
    this.#options = options
    const { random, reference } = options
    this.accounts = random.chance(0.25) ? ['a', 'b'] : ['a']
    this.starterCents = random.pick([0, 5, 20, 60])
    for (const account of this.accounts) reference.credited(account, this.starterCents)
  }

  /** Starter credits of an account, or 0 if the account has no row. */
  starterOf(account: string): number {
    return this.#options.isKnown(account) ? this.starterCents : 0
  }

  /** True while a client waits for this process. */
  isServedBy(process: OriginProcess): boolean {
    return (this.#serving.get(process) ?? 0) > 0
  }

  act(process: OriginProcess): void {
    const { random, fail } = this.#options
    const account = random.pick(this.accounts)
    const write = () => this.#write(process, account)
    const run = () => this.#run(process, account)
    const look = () => this.#look(process, account)
    const cap = () => this.#cap(process, account)
    const pay = () => this.#options.payers.pay(process, account)
    const act = random.pick([write, write, write, run, run, run, look, cap, pay, pay])
    const count = (by: number) => this.#serving.set(process, (this.#serving.get(process) ?? 0) + by)
    count(1)
    act()
      .catch((error: unknown) => {
        if (!this.#options.isCalm && (error instanceof CreditsUnavailableError || isTrouble(error)))
          return
        fail(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => count(-1))
  }

  /** @throws {Violation} if the process cannot spend exactly what the account has */
  async spendsAll(process: OriginProcess, account: string, balance: number): Promise<void> {
    const { reference } = this.#options
    if (balance > 0) {
      const all = await this.#reserve(process, account, balance, NO_CAP)
      if (!all) throw new Violation(`${balance} cents of account ${account} cannot be spent`)
      const more = await this.#reserve(process, account, 1, NO_CAP)
      if (more)
        throw new Violation(`more than the ${balance} cents of account ${account} can be spent`)
      all.reservation.release()
      reference.over(all.operation)
    }
  }

  async #write(process: OriginProcess, account: string): Promise<void> {
    const { random, time, trace, reference } = this.#options
    const cents = random.chance(0.8) ? 1 : random.integer(2, 15)
    const reserved = await this.#reserve(process, account, cents)
    if (!reserved) return
    const { reservation, operation } = reserved
    await time.sleeper(process)(
      random.chance(0.5) ? random.integer(0, 50) : random.integer(50, 2_000),
    )
    if (random.chance(0.2)) {
      trace.add(process.name, `${operation.name} has failed`)
      reservation.release()
      reference.over(operation)
    } else this.#settle(reservation, operation, cents)
  }

  /** A run of a few seconds, each of which is reserved before it starts. */
  async #run(process: OriginProcess, account: string): Promise<void> {
    const { random, time, trace, reference } = this.#options
    const reserved = await this.#reserve(process, account, 1)
    if (!reserved) return
    const { reservation, operation } = reserved
    const sleep = time.sleeper(process)
    const seconds = random.integer(1, 4)
    let ran = 1
    for (; ran < seconds; ran++) {
      await sleep(300)
      if (random.chance(0.7)) {
        reference.prepares(operation, 1)
        reservation.prepare(1)
      }
      await sleep(650)
      reference.wants(operation, 1)
      const extended = await reservation.extend(1).catch((error: unknown) => {
        reference.over(operation)
        reservation.release()
        throw error
      })
      if (extended) {
        trace.add(process.name, `${operation.name} is stopped: ${extended}`)
        if (extended === 'out_of_credits') reference.refused(operation)
        else reference.capped(operation)
        reservation.release()
        return reference.over(operation)
      }
      reference.got(operation)
      await sleep(50)
    }
    await sleep(random.integer(0, 900))
    if (random.chance(0.2)) {
      reservation.release()
      reference.over(operation)
    } else this.#settle(reservation, operation, random.integer(1, reservation.cents))
  }

  /** Sets or removes the spending cap of a key. */
  async #cap(process: OriginProcess, account: string): Promise<void> {
    const { random, trace, reference, hashOf } = this.#options
    const keyHash = random.pick(KEYS)
    const capCents = random.chance(0.2) ? undefined : random.integer(0, 30)
    const cap = capCents === undefined ? null : { capCents, windowSeconds: WINDOW_SECONDS }
    const known = reference.setsCap(account, keyHash, capCents)
    trace.add(process.name, `cap of ${keyHash.slice(2, 4)} of ${account} becomes ${capCents}`)
    await process.credits.setCap({ accountHash: hashOf(account), keyHash }, cap)
    trace.add(process.name, `cap of ${keyHash.slice(2, 4)} of ${account} is ${capCents}`)
    known()
  }

  async #look(process: OriginProcess, account: string): Promise<void> {
    const { hashOf, trace } = this.#options
    const balance = await process.credits.balance(hashOf(account))
    trace.add(process.name, `balance of ${account}: ${JSON.stringify(balance)}`)
    if (balance.balance_cents < 0) throw new Violation('a balance below zero is shown')
  }

  async #reserve(
    process: OriginProcess,
    account: string,
    cents: number,
    keyHash = this.#options.random.pick(KEYS),
  ): Promise<{ reservation: Reservation; operation: Operation } | undefined> {
    const { reference, trace, hashOf } = this.#options
    const operation = reference.begin(account, process, keyHash, this.#options.random.chance(0.3))
    reference.wants(operation, cents)
    trace.add(process.name, `${operation.name} wants ${cents} of ${account}`)
    try {
      const reservation = await process.credits.reserve(
        { accountHash: hashOf(account), keyHash: operation.keyHash },
        cents,
      )
      reference.got(operation)
      trace.add(process.name, `${operation.name} has ${cents}`)
      return { reservation, operation }
    } catch (error) {
      trace.add(process.name, `${operation.name} is refused: ${String(error)}`)
      if (error instanceof SpendCapReachedError) {
        reference.capped(operation)
        reference.over(operation)
        return undefined
      }
      if (!(error instanceof PaymentRequiredError)) {
        reference.over(operation)
        throw error
      }
      reference.refused(operation)
      reference.over(operation)
      return undefined
    }
  }

  #settle(reservation: Reservation, operation: Operation, cents: number): void {
    const { reference, trace, time } = this.#options
    trace.add(operation.process.name, `${operation.name} has succeeded for ${cents}`)
    reservation.settle('write', cents, { subject: operation.subject })
    reference.settled(operation, cents, time.now)
  }
}
