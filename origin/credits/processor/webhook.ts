/**
 * The processor's events. An event is only a hint that there may be news: its claims are not trusted, and only the ID
 * of the payment is read from it.
 */
import Stripe from 'stripe'
import { z } from 'zod'

/** Events that were signed longer ago are rejected as replays (the library's own default). */
const TOLERANCE_S = 300

/** Reason for rejecting an event: no signature, a signature that does not match, too old, or not an event. */
export type WebhookFault = 'unsigned' | 'forged' | 'too_old' | 'malformed'

export class WebhookRefused extends Error {
  readonly fault: WebhookFault
  constructor(fault: WebhookFault) {
    super(`the processor's event is refused: ${fault}`)
    this.name = 'WebhookRefused'
    this.fault = fault
  }
}

export type WebhookOptions = {
  /** Any of these may have signed the event. There are two while the operator rotates the secret. */
  secrets: readonly string[]
  live: boolean
  now: () => number
}

const eventSchema = z.object({
  object: z.literal('event'),
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      id: z.unknown().optional(),
      object: z.string(),
      payment_intent: z.unknown().optional(),
    }),
  }),
})

const OF_A_PAYMENT = new Set(['charge', 'refund', 'dispute'])

/**
 * Returns the ID of the payment that an event concerns.
 * @param body the raw bytes, which the signature covers
 * @returns undefined if it concerns no payment, or is of the other mode (live or test)
 * @throws {WebhookRefused}
 */
export async function paymentConcerned(
  body: Uint8Array,
  signature: string | undefined,
  { secrets, live, now }: WebhookOptions,
): Promise<string | undefined> {
  if (signature === undefined || signature === '') throw new WebhookRefused('unsigned')
  const event = eventSchema.safeParse(await verified(body, signature, secrets, now()))
  if (!event.success) throw new WebhookRefused('malformed')
  const { livemode, data } = event.data
  if (livemode !== live) return undefined
  const { id, object, payment_intent } = data.object
  const intentId = object === 'payment_intent' ? id : OF_A_PAYMENT.has(object) && payment_intent
  return typeof intentId === 'string' && /^[A-Za-z0-9_]{1,255}$/.test(intentId)
    ? intentId
    : undefined
}

/**
 * Returns the event if one of the secrets matches its signature.
 * @throws {WebhookRefused}
 */
async function verified(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<unknown> {
  let fault: WebhookFault = 'forged'
  for (const secret of secrets) {
    try {
      // The library accepts bytes only as a Buffer.
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      const { webhooks } = Stripe
      return await webhooks.constructEventAsync(
        bytes,
        signature,
        secret,
        TOLERANCE_S,
        undefined,
        nowMs,
      )
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) fault = 'malformed'
      // Detected by the message text, because the error has no code. In this case the signature was valid.
      else if (error.message.includes('tolerance')) fault = 'too_old'
    }
  }
  throw new WebhookRefused(fault)
}
