import { MINUTE_MS } from '../../../shared/durations.ts'
import Stripe from 'stripe'
import { type AbortableSleep, rejectAfter } from '../../timeout.ts'
import type { OriginLog } from '../../log.ts'
import {
  canBeOurs,
  customerSchema,
  type ProcessorDeployment,
  type IntentResponse,
  metadataOf,
  newIntentSchema,
  paymentFacts,
  readIntent,
} from './responses.ts'
import {
  CustomerGoneError,
  type NewIntent,
  type PaymentFacts,
  type Processor,
  ProcessorUnavailableError,
} from './processor.ts'

/** The library retries an attempt that times out. */
const REQUEST_TIMEOUT_MS = 10_000

/** The library waits 0.5 s before the first retry, then about 1 s. */
const RETRIES = 2

/**
 * Timeout of a call, including all attempts. It is below the edge's timeout (30 s), so that the client receives a 503
 * and not a broken connection.
 */
const CALL_TIMEOUT_MS = 20_000

/** Time for which a failed call counts as a sign of an outage. */
const OUTAGE_MS = 10 * MINUTE_MS

/** For a day, the processor repeats its own failure for requests with the same key. */
const IDEMPOTENCY_KEYS_MAX = 4

/**
 * Maximum number of refunds or disputes to read per payment. It is not reached in practice. The library has the same
 * limit.
 */
const LIST_MAX = 10_000

type ProcessorClientOptions = {
  secretKey: string
  deployment: ProcessorDeployment
  /** URL that replaces the processor's host in tests. Undefined in production. */
  url: string | undefined
  sleep: AbortableSleep
  log: OriginLog
}

export class ProcessorClient implements Processor {
  readonly #library: Stripe
  readonly #options: ProcessorClientOptions
  /** Monotonic time at which the last call failed. Undefined if the last call succeeded. */
  #failedAt: number | undefined

  constructor(options: ProcessorClientOptions) {
    this.#options = options
    this.#library = new Stripe(options.secretKey, {
      maxNetworkRetries: RETRIES,
      timeout: REQUEST_TIMEOUT_MS,
      telemetry: false,
      ...(options.url !== undefined && hostConfig(options.url)),
    })
  }

  createCustomer(accountHash: string, previousId?: string): Promise<string> {
    const { deployment } = this.#options
    // The idempotency key includes the deployment, because an admin wallet's account has the same hash in every
    // deployment.
    const own = `customer:${deployment.name}:${accountHash}`
    const key = previousId === undefined ? own : `${own}:${previousId}`
    const metadata = metadataOf(accountHash, deployment)
    return this.#call('customer', async () => {
      const made = await this.#createOnce(key, (idempotencyKey) =>
        this.#library.customers.create({ metadata }, { idempotencyKey }),
      )
      return customerSchema.parse(made).id
    })
  }

  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }> {
    const { accountHash, customerId, amountCents, writeId } = intent
    // The idempotency key includes the customer, because the processor rejects a key that is reused with another
    // customer.
    const key = `intent:${writeId}:${customerId}`
    const metadata = metadataOf(accountHash, this.#options.deployment)
    return this.#call('intent', async () => {
      const made = await this.#createOnce(key, (idempotencyKey) =>
        this.#library.paymentIntents.create(
          {
            amount: amountCents,
            currency: 'usd',
            customer: customerId,
            automatic_payment_methods: { enabled: true },
            metadata,
          },
          { idempotencyKey },
        ),
      )
      const { id, client_secret } = newIntentSchema.parse(made)
      return { intentId: id, clientSecret: client_secret }
    })
  }

  /** Older failures prove little, because calls are made only for payments. */
  get isAway(): boolean {
    return this.#failedAt !== undefined && performance.now() < this.#failedAt + OUTAGE_MS
  }

  factsOf(intentId: string): Promise<PaymentFacts | undefined> {
    const { deployment } = this.#options
    return this.#call('facts', async () => {
      const intent = await this.#intent(intentId)
      if (!intent || !canBeOurs(intent, deployment)) return undefined
      // Reads refunds and disputes after the intent, because money must be received before it can be returned.
      const [refunds, disputes] =
        intent.status === 'succeeded' ? await this.#refundsAndDisputes(intentId) : [[], []]
      return paymentFacts(intent, refunds, disputes, deployment)
    })
  }

  async #intent(intentId: string): Promise<IntentResponse | undefined> {
    try {
      // Does not request the charge object, because it identifies the payer, and we do not need that personal data.
      return readIntent(await this.#library.paymentIntents.retrieve(intentId), intentId)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  #refundsAndDisputes(intentId: string): Promise<[unknown[], unknown[]]> {
    const { refunds, disputes } = this.#library
    const of = { payment_intent: intentId, limit: 100 }
    const all = { limit: LIST_MAX }
    return Promise.all([
      refunds.list(of).autoPagingToArray(all),
      disputes.list(of).autoPagingToArray(all),
    ])
  }

  /**
   * If the processor repeats a stored server error, retries with another idempotency key. This may create an object
   * twice, which is harmless. All calls use the same keys in the same order.
   */
  async #createOnce<Made>(key: string, create: (key: string) => Promise<Made>): Promise<Made> {
    for (let n = 1; ; n++) {
      try {
        return await create(n === 1 ? key : `${key}:${n}`)
      } catch (error) {
        if (n === IDEMPOTENCY_KEYS_MAX || !isReplayedFailure(error)) throw error
      }
    }
  }

  /**
   * Calls the processor with a timeout.
   * @throws {ProcessorUnavailableError | CustomerGoneError} for every error
   */
  async #call<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const timeoutError = () => new Error('the payment processor did not respond in time')
      const answer = await rejectAfter(CALL_TIMEOUT_MS, ask(), timeoutError, this.#options.sleep)
      this.#failedAt = undefined
      return answer
    } catch (error) {
      if (isMissing(error) && error.param === 'customer') throw new CustomerGoneError()
      const reason = reasonOf(error)
      this.#failedAt = performance.now()
      this.#options.log('processor.failed', { what, reason })
      throw new ProcessorUnavailableError(reason)
    }
  }
}

/** Options of the processor's library for a custom URL. */
export function hostConfig(url: string): {
  protocol: 'http' | 'https'
  host: string
  port: string
} {
  const { protocol, hostname: host, port } = new URL(url)
  const isPlain = protocol === 'http:'
  return {
    protocol: isPlain ? 'http' : 'https',
    host,
    port: port !== '' ? port : isPlain ? '80' : '443',
  }
}

function isMissing(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
}

function isReplayedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  const isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  return isReplayed && (error.statusCode ?? 0) >= 500
}

/** Describes an error without its message, because the message may quote a key or request data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError))
    return error instanceof Error ? error.name : 'unknown'
  const { type, statusCode, code, requestId } = error
  const facts = [type, statusCode, code, requestId].filter((fact) => fact !== undefined)
  return facts.join(' ').replaceAll(/[^\w .-]/g, '')
}
