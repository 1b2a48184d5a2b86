import { HOUR_MS } from '../../../shared/durations.ts'
import { UNPAID_PAYMENTS_PER_HOUR, UNPAID_PAYMENTS_PER_WEEK } from '../../../shared/limits.ts'
import { databaseTimeout, type AbortableSleep, rejectAfter } from '../../timeout.ts'
import { appendEntry } from '../../audit-log/append-entry.ts'
import type { AuditContext } from '../../audit-log/context.ts'
import { intentEntry } from '../../audit-log/credit-entries.ts'
import type { Database } from '../../db/open.ts'
import { fromDatabase } from '../../db/database-unavailable.ts'
import type { OriginLog } from '../../log.ts'
import { SerialQueue } from '../serial-queue.ts'
import { nextCreditedPoll, nextOpenPoll, UNPAID_MS } from './poll-schedule.ts'
import {
  findCustomer,
  recordCustomer,
  recordPayment,
  recordProgress,
  findPayment,
  type PaymentRow,
  claimDue,
  countUnpaid,
} from './payment-rows.ts'
import { CustomerGoneError, type PaymentFacts, type Processor } from './processor.ts'
import { PaymentQueryRate, TooManyPaymentsError } from './payment-query-rate.ts'
import { reconcile } from './reconcile.ts'

const DATABASE_TIMEOUT_MS = 5_000

const UNPAID_LIMITS = [
  { span: 'hour', ms: HOUR_MS, most: UNPAID_PAYMENTS_PER_HOUR },
  { span: 'week', ms: UNPAID_MS, most: UNPAID_PAYMENTS_PER_WEEK },
]

export type PaymentRequester = {
  accountHash: string
  /**
   * Hash of the usage key that made the request. Undefined if the owner made the request with the account key or an
   * admin wallet.
   */
  usageKeyHash?: string | undefined
}

/**
 * Limits of a polling pass: the number of payments, the number of failures that abort the pass, and the duration of a
 * claim on a payment.
 */
const POLL_BATCH = 20
const POLL_FAILURES_MAX = 3
const POLL_CLAIM_MS = 60_000

export type PaymentsOptions = {
  processor: Processor
  db: Database
  /** Credit in cents that is granted when an account's credit is first used (see `Credits`). */
  starterCents: number
  now: () => number
  sleep: AbortableSleep
  log: OriginLog
  /** Called after credit was deducted for a refund or dispute, so that this process returns its leased credit. */
  onClawback: (accountHash: string) => void
}

export type PaymentStatus =
  | { state: 'credited' }
  | { state: 'pending' }
  | { state: 'failed'; reason: string | undefined; isFinal: boolean }
  /** The payment does not exist or belongs to another account. The response does not reveal which. */
  | { state: 'unknown' }

/** Thrown if a payment is unknown, pending or failed. */
export class NotCreditedError extends Error {
  override readonly name = 'NotCreditedError'
  readonly status: Exclude<PaymentStatus, { state: 'credited' }>
  constructor(status: Exclude<PaymentStatus, { state: 'credited' }>) {
    super(`the payment is ${status.state}`)
    this.status = status
  }
}

export class Payments {
  readonly #options: PaymentsOptions
  readonly #queue = new SerialQueue(
    () => new TooManyPaymentsError('too many payment requests of this account are queued', 1_000),
  )
  readonly #queryRate: PaymentQueryRate

  constructor(options: PaymentsOptions) {
    this.#options = options
    this.#queryRate = new PaymentQueryRate(options.now)
  }

  /**
   * Creates a payment, which the payer then confirms at the processor. Idempotent per `writeId`.
   * @throws {ProcessorUnavailableError | DatabaseUnavailableError | TooManyPaymentsError} in which case the payer owes
   * nothing
   */
  create(
    payment: PaymentRequester & { amountCents: number; writeId: string; audit?: AuditContext },
  ): Promise<{ intentId: string; clientSecret: string }> {
    return this.#queue.run(queueKey(payment), async () => {
      const { accountHash, usageKeyHash, amountCents } = payment
      await this.#requireFewUnpaid(payment)
      const made = await this.#intent(payment)
      const at = new Date(this.#options.now())
      const lookAt = nextOpenPoll(at, at.getTime()) ?? at
      const { intentId } = made
      const record = { intentId, accountHash, usageKeyHash, amountCents, at, lookAt }
      const { audit } = payment
      // Not in one transaction: if its connection were lost, it would block the settlement of charges. The intent
      // exists already, so the entry is true even if the payment is not recorded.
      if (audit) await this.#database((db) => appendEntry(db, intentEntry(audit, record), at))
      await this.#database((db) => recordPayment(db, record))
      return made
    })
  }

  /**
   * Credits a payment if it has been paid.
   * @throws {ProcessorUnavailableError | DatabaseUnavailableError | TooManyPaymentsError}
   */
  async confirm(payer: PaymentRequester, intentId: string): Promise<PaymentStatus> {
    const { accountHash, usageKeyHash } = payer
    // Rejects IDs of other object types, which the processor's API serves under the same path.
    if (!/^pi_[A-Za-z0-9_]+$/.test(intentId)) return { state: 'unknown' }
    const recorded = await this.#database((db) => findPayment(db, intentId))
    if (recorded && recorded.accountHash !== accountHash) return { state: 'unknown' }
    if (recorded?.state === 'credited') return { state: 'credited' }
    this.#queryRate.take(accountHash, usageKeyHash === undefined ? 'owner' : 'usage key')
    return this.#queue.run(queueKey(payer), async () => {
      const facts = await this.#options.processor.factsOf(intentId)
      // Checks the owner before recording anything, because the caller must not learn about or affect another account's
      // payment.
      if (!facts || (recorded?.accountHash ?? facts.accountHash) !== accountHash)
        return { state: 'unknown' }
      await this.#apply(facts)
      return paymentStatus(facts)
    })
  }

  /**
   * Updates the ledger from the processor's record of a payment.
   * @throws {ProcessorUnavailableError | DatabaseUnavailableError} in which case the caller must retry
   */
  async reconcile(intentId: string): Promise<void> {
    const facts = await this.#options.processor.factsOf(intentId)
    if (facts) await this.#apply(facts)
    else await this.#recordUnknown(intentId)
  }

  /**
   * Polls the payments that are due. Only one process polls each payment. After a failed poll, the payment is due again
   * in a minute.
   * @throws {ProcessorUnavailableError | DatabaseUnavailableError} after `POLL_FAILURES_MAX` failures
   */
  async pollDue(ended?: AbortSignal): Promise<void> {
    let failures = 0
    for (let polled = 0; polled < POLL_BATCH; polled++) {
      if (ended?.aborted) return
      const now = this.#options.now()
      const [at, againAt] = [new Date(now), new Date(now + POLL_CLAIM_MS)]
      const [due] = await this.#database((db) => claimDue(db, { at, againAt, most: 1 }))
      if (!due) return
      try {
        await this.reconcile(due.intentId)
      } catch (error) {
        failures += 1
        if (failures === POLL_FAILURES_MAX) throw error
      }
    }
  }

  async #apply(facts: PaymentFacts): Promise<void> {
    const { starterCents, now, log, onClawback } = this.#options
    const reconciliation = await this.#database((db) =>
      reconcile(db, facts, { starterCents, now: now() }),
    )
    if (reconciliation?.differs) log('payments.account_differs', { intent: facts.intentId })
    if (reconciliation?.tookBack) onClawback(reconciliation.accountHash)
  }

  /**
   * Handles a payment that the processor does not have in this mode (live or test). The payment is polled until it is
   * too old.
   */
  async #recordUnknown(intentId: string): Promise<void> {
    const now = this.#options.now()
    const recorded = await this.#database((db) => findPayment(db, intentId))
    if (!recorded || recorded.state === 'failed') return
    await this.#database((db) => recordProgress(db, intentId, progressOfUnknown(recorded, now)))
  }

  async #intent({ accountHash, amountCents, writeId }: Parameters<Payments['create']>[0]) {
    const { processor } = this.#options
    const payment = { accountHash, amountCents, writeId }
    const customerId = await this.#customer(accountHash)
    try {
      return await processor.createIntent({ ...payment, customerId })
    } catch (error) {
      if (!(error instanceof CustomerGoneError)) throw error
      const another = await this.#customer(accountHash, customerId)
      return processor.createIntent({ ...payment, customerId: another })
    }
  }

  async #customer(accountHash: string, previousId?: string): Promise<string> {
    const recorded = await this.#database((db) => findCustomer(db, accountHash))
    if (recorded !== undefined && recorded !== previousId) return recorded
    const customerId = await this.#options.processor.createCustomer(accountHash, previousId)
    const customer = { accountHash, customerId, at: new Date(this.#options.now()) }
    return this.#database((db) => recordCustomer(db, customer, previousId))
  }

  async #requireFewUnpaid(payer: PaymentRequester): Promise<void> {
    for (const { span, ms, most } of UNPAID_LIMITS) {
      const since = new Date(this.#options.now() - ms)
      const unpaid = await this.#database((db) => countUnpaid(db, payer, since))
      const refuse = (who: string, begun: number, bound: number) => {
        if (begun < bound) return
        const reason = `${who} ${begun} unpaid payments from the last ${span}`
        throw new TooManyPaymentsError(reason, ms / bound)
      }
      refuse('this account has', unpaid.account, most.account)
      if (payer.usageKeyHash === undefined) continue
      refuse('the usage keys of this account have', unpaid.usageKeys, most.usageKeys)
      refuse('this key has', unpaid.usageKey, most.usageKey)
    }
  }

  /**
   * Runs a database operation with a timeout.
   * @throws {DatabaseUnavailableError} if the operation fails for any reason; its outcome is then unknown, and the
   * caller may retry it
   */
  #database<Answer>(ask: (db: Database) => Promise<Answer>): Promise<Answer> {
    const { db, sleep } = this.#options
    return fromDatabase(rejectAfter(DATABASE_TIMEOUT_MS, ask(db), databaseTimeout, sleep))
  }
}

/** The usage keys of an account share a separate queue, so that they cannot fill the owner's queue. */
function queueKey({ accountHash, usageKeyHash }: PaymentRequester): string {
  return usageKeyHash === undefined ? accountHash : `${accountHash}/usage keys`
}

function progressOfUnknown(
  { state, createdAt }: PaymentRow,
  now: number,
): Pick<PaymentRow, 'state' | 'lookAt'> {
  if (state === 'credited') return { state, lookAt: nextCreditedPoll(createdAt, now) }
  const lookAt = nextOpenPoll(createdAt, now)
  return lookAt ? { state: 'open', lookAt } : { state: 'failed', lookAt: null }
}

function paymentStatus({ progress, reason }: PaymentFacts): PaymentStatus {
  switch (progress) {
    case 'paid':
      return { state: 'credited' }
    case 'unpaid':
    case 'processing':
      return { state: 'pending' }
    case 'declined':
      return { state: 'failed', reason, isFinal: false }
    case 'canceled':
      return { state: 'failed', reason, isFinal: true }
  }
}
