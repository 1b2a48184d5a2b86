import Stripe from 'stripe'
import { inTime, type Sleep } from '../../db/in-time.ts'
import type { Log } from '../../log.ts'
import {
  canBeOurs,
  customerSchema,
  type Deployment,
  type IntentAnswer,
  metadataOf,
  newIntentSchema,
  paymentFacts,
  readIntent,
} from './answers.ts'
import {
  CustomerGone,
  type NewIntent,
  type PaymentFacts,
  type Processor,
  ProcessorUnavailable,
} from './processor.ts'

/** A request that the processor is silent to for this long is given up, and sent again. */
const REQUEST_MS = 10_000

/** Beside the first try; the library waits 0.5 s, then about 1 s. */
const RETRIES = 2

/** With all its tries: less than the edge waits for an answer (30 s), so that who asks hears 503, and not of a broken connection. */
const CALL_MS = 20_000

/** How long a failed call says something of the processor. */
const AWAY_MS = 10 * 60 * 1000

/** Requests under one key that the processor answered with a failure of its own, which it gives again for a day. */
const KEYS_MAX = 4

/** More refunds than a payment can have in practice; the library's own bound. */
const LIST_MAX = 10_000

export type ClientOptions = {
  secretKey: string
  deployment: Deployment
  /** Another host than the processor's own, for tests. */
  url: string | undefined
  sleep: Sleep
  log: Log
}

/** The payment processor, by its own library. */
export class ProcessorClient implements Processor {
  readonly #library: Stripe
  readonly #options: ClientOptions
  /** Of the last call, where that failed. */
  #failedAt: number | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#library = new Stripe(options.secretKey, {
      maxNetworkRetries: RETRIES,
      timeout: REQUEST_MS,
      telemetry: false,
      ...(options.url !== undefined && addressOf(options.url)),
    })
  }

  createCustomer(accountHash: string, instead?: string): Promise<string> {
    const { deployment } = this.#options
    // An admin wallet's account has one hash at every deployment.
    const own = `customer:${deployment.name}:${accountHash}`
    const key = instead === undefined ? own : `${own}:${instead}`
    const metadata = metadataOf(accountHash, deployment)
    return this.#call('customer', async () => {
      const made = await this.#once(key, (idempotencyKey) =>
        this.#library.customers.create({ metadata }, { idempotencyKey }),
      )
      return customerSchema.parse(made).id
    })
  }

  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }> {
    const { accountHash, customerId, amountCents, writeId } = intent
    // The customer is in the key: with another one in the request the key would not be taken.
    const key = `intent:${writeId}:${customerId}`
    const metadata = metadataOf(accountHash, this.#options.deployment)
    return this.#call('intent', async () => {
      const made = await this.#once(key, (idempotencyKey) =>
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

  /** Whether it did not answer when it was last asked, and that is not long ago: it is asked when somebody pays. */
  get isAway(): boolean {
    return this.#failedAt !== undefined && performance.now() < this.#failedAt + AWAY_MS
  }

  factsOf(intentId: string): Promise<PaymentFacts | undefined> {
    const { deployment } = this.#options
    return this.#call('facts', async () => {
      const intent = await this.#intent(intentId)
      if (!intent || !canBeOurs(intent, deployment)) return undefined
      // After the intent: what went back had come before.
      const [refunds, disputes] =
        intent.status === 'succeeded' ? await this.#back(intentId) : [[], []]
      return paymentFacts(intent, refunds, disputes, deployment)
    })
  }

  async #intent(intentId: string): Promise<IntentAnswer | undefined> {
    try {
      // Its charge is not asked for: it names who paid, which is none of our business.
      return readIntent(await this.#library.paymentIntents.retrieve(intentId), intentId)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Refunds and disputes of an intent. */
  #back(intentId: string): Promise<[unknown[], unknown[]]> {
    const { refunds, disputes } = this.#library
    const of = { payment_intent: intentId, limit: 100 }
    const all = { limit: LIST_MAX }
    return Promise.all([
      refunds.list(of).autoPagingToArray(all),
      disputes.list(of).autoPagingToArray(all),
    ])
  }

  /**
   * Under one key the processor gives its first answer again, a failure of its own too. What is asked for here may be
   * made twice without harm, so that another key is taken then: always the same ones, in the same order.
   */
  async #once<Made>(key: string, create: (key: string) => Promise<Made>): Promise<Made> {
    for (let n = 1; ; n++) {
      try {
        return await create(n === 1 ? key : `${key}:${n}`)
      } catch (error) {
        if (n === KEYS_MAX || !isKeptFailure(error)) throw error
      }
    }
  }

  /** @throws {ProcessorUnavailable | CustomerGone} and nothing else */
  async #call<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await inTime(CALL_MS, ask(), this.#options.sleep)
      this.#failedAt = undefined
      return answer
    } catch (error) {
      if (isMissing(error) && error.param === 'customer') throw new CustomerGone()
      const reason = reasonOf(error)
      this.#failedAt = performance.now()
      this.#options.log('processor.failed', { what, reason })
      throw new ProcessorUnavailable(reason)
    }
  }
}

function addressOf(url: string): { protocol: 'http' | 'https'; host: string; port: string } {
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

function isKeptFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  const isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  return isReplayed && (error.statusCode ?? 0) >= 500
}

/** Class, status and code: an error's message may quote a key, or what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError))
    return error instanceof Error ? error.name : 'unknown'
  const { type, statusCode, code, requestId } = error
  const facts = [type, statusCode, code, requestId].filter((fact) => fact !== undefined)
  return facts.join(' ').replaceAll(/[^\w .-]/g, '')
}
