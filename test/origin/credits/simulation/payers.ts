import { NotCreditedError } from '../../../../origin/credits/processor/payments.ts'
import { ProcessorUnavailableError } from '../../../../origin/credits/processor/processor.ts'
import { DatabaseUnavailableError } from '../../../../origin/db/database-unavailable.ts'
import type { OriginProcess } from './origin-process.ts'
import type { SimulatedProcessor } from './processor.ts'
import type { Random } from './random.ts'
import type { Reference } from './reference.ts'
import type { Server } from './server.ts'
import { type Trace, Violation } from './trace.ts'
import type { VirtualTime } from './virtual-time.ts'

export type PayersOptions = {
  time: VirtualTime
  trace: Trace
  random: Random
  reference: Reference
  server: Server
  processor: SimulatedProcessor
  hashOf: (account: string) => string
  /** Returns a process that is serving, if there is one. */
  anyProcess: () => OriginProcess | undefined
  fail: (error: Error) => void
}

/** True for payment errors after which the caller retries. */
export function isTrouble(error: unknown): boolean {
  return error instanceof ProcessorUnavailableError || error instanceof DatabaseUnavailableError
}

/** Customers who top up accounts: they pay, confirm at any process or never, and get refunds or dispute payments. */
export class Payers {
  readonly #options: PayersOptions
  #writes = 0

  constructor(options: PayersOptions) {
    this.#options = options
  }

  /** @throws {ProcessorUnavailableError | DatabaseUnavailableError} */
  async pay(process: OriginProcess, account: string): Promise<void> {
    const { random, time, trace, processor, reference, hashOf } = this.#options
    const amountCents = random.integer(5, 40)
    const writeId = `${hashOf(account)}:${++this.#writes}`
    const payment = { accountHash: hashOf(account), amountCents, writeId }
    let made = await process.payments.create(payment)
    // A client that repeats its request under the same key gets the same payment.
    if (random.chance(0.2)) {
      const again = await process.payments.create(payment)
      if (again.intentId !== made.intentId) throw new Violation('one payment was begun twice')
      made = again
    }
    const { intentId } = made
    trace.add(
      process.name,
      `${processor.nameOf(intentId)} of ${amountCents} for ${account} is begun`,
    )
    const step = (ms: number, act: () => void) => time.after(ms, act)
    if (random.chance(0.15))
      step(random.integer(10, 300), () => processor.pay(intentId, 'declined'))
    if (random.chance(0.3))
      step(random.integer(300, 500), () => processor.pay(intentId, 'processing'))
    const end = random.chance(0.85) ? 'paid' : 'canceled'
    step(random.integer(500, 1_500), () => {
      // From now on it may be credited.
      if (end === 'paid') reference.credited(account, amountCents)
      processor.pay(intentId, end)
      if (random.chance(0.7)) this.#confirms(account, intentId)
    })
    const returns = random.chance(0.5) ? random.integer(1, 4) : 0
    for (let count = 0; count < returns; count++)
      step(random.integer(1_500, 5_000), () => processor.comesBack(intentId))
  }

  /**
   * Delivers an event of the processor to any process.
   * @returns false if the processor has to send it again
   */
  async hear(intentId: string): Promise<boolean> {
    const { anyProcess, trace, processor, fail } = this.#options
    const process = anyProcess()
    if (!process) return false
    try {
      await process.payments.reconcile(intentId)
      trace.add(process.name, `${processor.nameOf(intentId)}: event taken`)
      return true
    } catch (error) {
      if (!isTrouble(error)) fail(error as Error)
      return false
    }
  }

  /** Confirms the payment, at once or after some time, at one or several processes. */
  #confirms(account: string, intentId: string): void {
    const { random, time, anyProcess, fail } = this.#options
    for (let count = random.pick([1, 1, 2, 3]); count > 0; count--)
      time.after(random.integer(0, 600), () => {
        const process = anyProcess()
        if (!process) return
        this.#confirm(process, account, intentId).catch((error: unknown) => {
          if (!isTrouble(error) && !(error instanceof NotCreditedError)) fail(error as Error)
        })
      })
  }

  async #confirm(process: OriginProcess, account: string, intentId: string): Promise<void> {
    const { trace, processor, server, hashOf } = this.#options
    const standing = await process.payments.confirm({ accountHash: hashOf(account) }, intentId)
    trace.add(process.name, `${processor.nameOf(intentId)} is ${standing.state}`)
    if (standing.state === 'unknown')
      throw new Violation('a payer is told that its payment is unknown')
    const other = await process.payments.confirm({ accountHash: hashOf('nobody') }, intentId)
    if (other.state !== 'unknown') throw new Violation(`another account is told: ${other.state}`)
    if (standing.state !== 'credited') return
    const rows = server.peek(
      `select sum(cents) from ledger_transfers where subject = '${intentId}' and kind = 'payment'`,
    )
    const cents = Number(rows[0]?.[0])
    const { amountCents } = processor.intents.get(intentId)!
    if (cents !== amountCents)
      throw new Violation(
        `${processor.nameOf(intentId)} is said to be credited: ${cents} of ${amountCents} cents are`,
      )
  }
}
