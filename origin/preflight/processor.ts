import Stripe from 'stripe'
import { type Check, fault, ok, skipped } from '../../shared/preflight/checks.ts'
import { hostConfig } from '../credits/processor/processor-client.ts'
import { processorCredentials, type ProcessorSettings } from '../credits/processor/settings.ts'

const NAME = 'payment processor'
const TIMEOUT_MS = 5_000

/** Reads one refund, which requires a valid key with the permissions that the origin needs, and changes nothing. */
export async function checkProcessor(settings: ProcessorSettings): Promise<Check> {
  const config = processorCredentials(settings)
  if (!config) return skipped(NAME, 'not configured, so payments return 503')
  const { secretKey, live, url } = config
  const library = new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(url !== undefined && hostConfig(url)),
  })
  try {
    await library.refunds.list({ limit: 1 })
  } catch (error) {
    return fault(NAME, reasonOf(error))
  }
  return ok(NAME, `accepts the ${live ? 'live' : 'test'} mode key`)
}

/** Does not use the message, which quotes a part of the key. */
function reasonOf(error: unknown): string {
  const { errors } = Stripe
  if (error instanceof errors.StripeAuthenticationError)
    return 'the processor does not accept SVC_PROCESSOR_SECRET_KEY'
  if (error instanceof errors.StripePermissionError)
    return 'SVC_PROCESSOR_SECRET_KEY is not allowed to read refunds'
  if (error instanceof errors.StripeConnectionError) return 'the processor does not respond'
  return `the processor responds with an error (${error instanceof Error ? error.name : 'unknown'})`
}
