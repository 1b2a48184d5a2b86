import type { z } from 'zod'
import type {
  balanceResponse,
  confirmPaymentResponse,
  createPaymentIntentResponse,
  processorConfigResponse,
  usageRow,
} from '../../wire/billing.ts'
import { anySignal } from '../abortable.ts'
import { Conflict } from '../failures/by-status.ts'
import { CREDITED_TIMEOUT_MS } from '../limits.ts'
import type { CallOptions } from '../options.ts'
import { pollUntilReady } from '../polling.ts'
import type { Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { type CoreCalls, publicRead } from './core-calls.ts'
import type { Listing } from './listing.ts'
import type { WaitOptions } from './wait-until-permitted.ts'

export type Balance = z.infer<typeof balanceResponse>
export type UsageRow = z.infer<typeof usageRow>
export type PaymentIntent = z.infer<typeof createPaymentIntentResponse>
export type Credited = z.infer<typeof confirmPaymentResponse>
export type ProcessorConfig = z.infer<typeof processorConfigResponse>

/**
 * Selects usage by time and key. `from` and `to` are UTC days (YYYY-MM-DD), both inclusive. Default: the last 30 days.
 * `key_hash` selects a single key.
 */
export type UsageQuery = { from?: string; to?: string; key_hash?: string }

export type BillingOperations = {
  balance(options?: CallOptions): Promise<Balance>
  /** Lists charges by UTC day, key, and action or operation. */
  usage(query?: UsageQuery, options?: CallOptions): Listing<UsageRow>
  /** Returns the data of `usage` as CSV with a header line (RFC 4180). */
  usageCsv(query?: UsageQuery, options?: CallOptions): Promise<string>
  /** Returns the configuration for the payment processor's client library. Needs no key. */
  processorConfig(options?: CallOptions): Promise<ProcessorConfig>
  /**
   * Starts a payment of at least 500 cents. The processor's client library completes the payment with `client_secret`.
   */
  createPaymentIntent(
    fields: { amount_cents: number },
    options?: CallOptions,
  ): Promise<PaymentIntent>
  /** Credits a completed payment. @throws {Conflict} `payment_pending`, `payment_failed` */
  confirmPayment(fields: { payment_intent_id: string }, options?: CallOptions): Promise<Credited>
  /** Waits until a payment is credited. Default timeout: 10 minutes. @throws {Conflict} `payment_failed` */
  waitUntilCredited(paymentIntentId: string, options?: WaitOptions): Promise<Credited>
}

type BillingParts = {
  requester: Requester
  /** Core API calls that an API key or a wallet's proof authorizes. */
  calls: CoreCalls
  environment: RuntimeEnvironment
  signal?: AbortSignal | undefined
}

export function billingOperations(parts: BillingParts): BillingOperations {
  const { requester, calls, environment } = parts
  const confirmPayment = (fields: { payment_intent_id: string }, options?: CallOptions) =>
    calls.write<Credited>('billing/confirm_payment', fields, options)
  return {
    balance: (options) => calls.read('billing/balance', {}, options),
    usage: (query, options) => calls.list('billing/usage', { ...query }, options),
    usageCsv: (query, options) => calls.csv('billing/usage', { ...query }, options),
    processorConfig: (options) => publicRead(requester, 'billing/processor_config', options),
    createPaymentIntent: (fields, options) =>
      calls.write('billing/create_payment_intent', fields, options),
    confirmPayment,
    waitUntilCredited: (payment_intent_id, { timeoutMs = CREDITED_TIMEOUT_MS, signal } = {}) => {
      const either = anySignal(parts.signal, signal)
      const call = () => confirmPayment({ payment_intent_id }, either && { signal: either })
      const polling = { timeoutMs, signal: either, notYet: pendingPayment }
      return pollUntilReady(call, polling, environment)
    },
  }
}

function pendingPayment(error: unknown): { atLeastMs: number } | undefined {
  if (!(error instanceof Conflict) || error.code !== 'payment_pending') return undefined
  return { atLeastMs: (error.retryAfterS ?? 0) * 1000 }
}
