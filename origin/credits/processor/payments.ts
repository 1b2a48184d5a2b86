import { UNPAID_PAYMENTS_PER_HOUR, UNPAID_PAYMENTS_PER_WEEK } from '../../../shared/limits.ts'
import { inTime, type Sleep } from '../../db/in-time.ts'
import type { Database } from '../../db/open.ts'
import { fromDatabase } from '../../db/unavailable.ts'
import type { Log } from '../../log.ts'
import { OneAtATime } from '../one-at-a-time.ts'
import { nextCreditedLook, nextOpenLook, UNPAID_MS } from './looking.ts'
import {
  customerOf,
  noteCustomer,
  notePayment,
  noteProgress,
  paymentOf,
  type PaymentRow,
  takeDue,
  unpaidSince,
} from './payment-rows.ts'
import { CustomerGone, type PaymentFacts, type Processor } from './processor.ts'
import { QuestionRate } from './question-rate.ts'
import { reconcile, type Reconciled } from './reconcile.ts'
import { TooManyPayments } from './too-many-payments.ts'

const DATABASE_WAIT_MS = 5_000

const UNPAID_BOUNDS = [
  { span: 'hour', ms: 3_600_000, most: UNPAID_PAYMENTS_PER_HOUR },
  { span: 'week', ms: UNPAID_MS, most: UNPAID_PAYMENTS_PER_WEEK },
]

export type Payer = {
  accountHash: string
  /** Undefined if the owner made the request, with the account key or an admin wallet. */
  usageKeyHash?: string | undefined
}

/** Payments to poll per pass, failures that abort a pass, and duration of a claim on a payment. */
const LOOKS_AT_ONCE = 20
const LOOK_FAILURES_MAX = 3
const LOOK_LEASE_MS = 60_000

export type PaymentsOptions = {
  processor: Processor
  db: Database
  /** Granted when the account's credit is first used (see `Credits`). */
  starterCents: number
  now: () => number
  sleep: Sleep
  log: Log
  /** Called after credit was deducted for a refund or dispute, so that this process returns its leased credit. */
  onTakenBack: (accountHash: string) => void
}

export type Standing =
  | { state: 'credited' }
  | { state: 'pending' }
  | { state: 'failed'; reason: string | undefined; isFinal: boolean }
  /** The payment does not exist or belongs to another account; not revealed which. */
  | { state: 'unknown' }

export class Payments {
  readonly #options: PaymentsOptions
  readonly #turns = new OneAtATime(
    () => new TooManyPayments('too many payment requests of this account are queued', 1_000),
  )
  readonly #questions: QuestionRate

  constructor(options: PaymentsOptions) {
    this.#options = options
    this.#questions = new QuestionRate(options.now)
  }

  /**
   * Creates a payment, which the payer then confirms at the processor. Idempotent per `writeId`.
   * @throws {ProcessorUnavailable | DatabaseUnavailable | TooManyPayments} in which case the payer owes nothing
   */
  create(
    payment: Payer & { amountCents: number; writeId: string },
  ): Promise<{ intentId: string; clientSecret: string }> {
    return this.#turns.take(lineOf(payment), async () => {
      const { accountHash, usageKeyHash, amountCents } = payment
      await this.#requireFewUnpaid(payment)
      const made = await this.#intent(payment)
      const at = new Date(this.#options.now())
      const lookAt = nextOpenLook(at, at.getTime()) ?? at
      const { intentId } = made
      const noted = { intentId, accountHash, usageKeyHash, amountCents, at, lookAt }
      await this.#database((db) => notePayment(db, noted))
      return made
    })
  }

  /**
   * Credits a payment if it has been paid.
   * @throws {ProcessorUnavailable | DatabaseUnavailable | TooManyPayments}
   */
  async confirm(payer: Payer, intentId: string): Promise<Standing> {
    const { accountHash, usageKeyHash } = payer
    // Rejects IDs of other object types, which the processor's API serves under the same path.
    if (!/^pi_[A-Za-z0-9_]+$/.test(intentId)) return { state: 'unknown' }
    const noted = await this.#database((db) => paymentOf(db, intentId))
    if (noted && noted.accountHash !== accountHash) return { state: 'unknown' }
    if (noted?.state === 'credited') return { state: 'credited' }
    this.#questions.take(accountHash, usageKeyHash === undefined ? 'owner' : 'usage key')
    return this.#turns.take(lineOf(payer), async () => {
      const facts = await this.#options.processor.factsOf(intentId)
      // Checked before anything is recorded: the caller must not learn about or affect another account's payment.
      if (!facts || (noted?.accountHash ?? facts.accountHash) !== accountHash)
        return { state: 'unknown' }
      await this.#apply(facts)
      return standingOf(facts)
    })
  }

  /** @throws {ProcessorUnavailable | DatabaseUnavailable} in which case the call must be repeated */
  async reconcile(intentId: string): Promise<void> {
    const facts = await this.#options.processor.factsOf(intentId)
    if (facts) await this.#apply(facts)
    else await this.#unknown(intentId)
  }

  /**
   * Polls the payments that are due. Each is polled by only one process. After a failed poll, the payment is due again
   * in a minute, after the others.
   * @throws {ProcessorUnavailable | DatabaseUnavailable} after `LOOK_FAILURES_MAX` failures
   */
  async look(ended?: AbortSignal): Promise<void> {
    let failures = 0
    for (let looked = 0; looked < LOOKS_AT_ONCE; looked++) {
      if (ended?.aborted) return
      const now = this.#options.now()
      const [at, againAt] = [new Date(now), new Date(now + LOOK_LEASE_MS)]
      const [due] = await this.#database((db) => takeDue(db, { at, againAt, most: 1 }))
      if (!due) return
      try {
        await this.reconcile(due.intentId)
      } catch (error) {
        failures += 1
        if (failures === LOOK_FAILURES_MAX) throw error
      }
    }
  }

  async #apply(facts: PaymentFacts): Promise<Reconciled | undefined> {
    const { starterCents, now, log, onTakenBack } = this.#options
    const done = await this.#database((db) => reconcile(db, facts, { starterCents, now: now() }))
    if (done?.differs) log('payments.account_differs', { intent: facts.intentId })
    if (done?.tookBack) onTakenBack(done.accountHash)
    return done
  }

  /**
   * Handles a payment that the processor does not have in this mode (live or test). It is polled until it is too old.
   */
  async #unknown(intentId: string): Promise<void> {
    const now = this.#options.now()
    const noted = await this.#database((db) => paymentOf(db, intentId))
    if (!noted || noted.state === 'failed') return
    await this.#database((db) => noteProgress(db, intentId, progressOfUnknown(noted, now)))
  }

  async #intent({ accountHash, amountCents, writeId }: Parameters<Payments['create']>[0]) {
    const { processor } = this.#options
    const payment = { accountHash, amountCents, writeId }
    const customerId = await this.#customer(accountHash)
    try {
      return await processor.createIntent({ ...payment, customerId })
    } catch (error) {
      if (!(error instanceof CustomerGone)) throw error
      const another = await this.#customer(accountHash, customerId)
      return processor.createIntent({ ...payment, customerId: another })
    }
  }

  async #customer(accountHash: string, instead?: string): Promise<string> {
    const noted = await this.#database((db) => customerOf(db, accountHash))
    if (noted !== undefined && noted !== instead) return noted
    const customerId = await this.#options.processor.createCustomer(accountHash, instead)
    const customer = { accountHash, customerId, at: new Date(this.#options.now()) }
    return this.#database((db) => noteCustomer(db, customer, instead))
  }

  async #requireFewUnpaid(payer: Payer): Promise<void> {
    for (const { span, ms, most } of UNPAID_BOUNDS) {
      const since = new Date(this.#options.now() - ms)
      const unpaid = await this.#database((db) => unpaidSince(db, payer, since))
      const refuse = (who: string, begun: number, bound: number) => {
        if (begun < bound) return
        const reason = `${who} ${begun} unpaid payments from the last ${span}`
        throw new TooManyPayments(reason, ms / bound)
      }
      refuse('this account has', unpaid.account, most.account)
      if (payer.usageKeyHash === undefined) continue
      refuse('the usage keys of this account have', unpaid.usageKeys, most.usageKeys)
      refuse('this key has', unpaid.usageKey, most.usageKey)
    }
  }

  /**
   * @throws {DatabaseUnavailable} if the operation fails for any reason; its outcome is then unknown, and it may be
   * repeated
   */
  #database<Answer>(ask: (db: Database) => Promise<Answer>): Promise<Answer> {
    const { db, sleep } = this.#options
    return fromDatabase(inTime(DATABASE_WAIT_MS, ask(db), sleep))
  }
}

/** Usage keys have a separate queue, so that they cannot fill the owner's queue. */
function lineOf({ accountHash, usageKeyHash }: Payer): string {
  return usageKeyHash === undefined ? accountHash : `${accountHash}/usage keys`
}

function progressOfUnknown(
  { state, createdAt }: PaymentRow,
  now: number,
): Pick<PaymentRow, 'state' | 'lookAt'> {
  if (state === 'credited') return { state, lookAt: nextCreditedLook(createdAt, now) }
  const lookAt = nextOpenLook(createdAt, now)
  return lookAt ? { state: 'open', lookAt } : { state: 'failed', lookAt: null }
}

function standingOf({ progress, reason }: PaymentFacts): Standing {
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
