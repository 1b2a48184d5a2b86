/**
 * The processor's events. One is only a hint that something is new: what it claims is never believed, and which payment
 * it concerns is all that is read of it.
 */
import Stripe from 'stripe'
import { z } from 'zod'

/** An event that was signed longer ago is an old one that somebody sends again (the library's own bound). */
const TOLERANCE_S = 300

/** Why an event is refused: not signed, not by the processor, too long ago, or not an event. */
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
  /** Any of them may have signed: two while the operator exchanges one for another. */
  secrets: readonly string[]
  live: boolean
  now: () => number
}

const eventSchema = z.object({
  object: z.literal('event'),
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      id: z.unknown(),
      object: z.string(),
      payment_intent: z.unknown(),
    }),
  }),
})

/** Objects that belong to a payment. */
const OF_A_PAYMENT = new Set(['charge', 'refund', 'dispute'])

/**
 * The payment that an event concerns.
 * @param body the bytes as they came: the signature is over them
 * @returns undefined where it concerns none, or is of the other mode
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

/** The event, once one of the secrets fits. @throws {WebhookRefused} */
async function verified(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<unknown> {
  let fault: WebhookFault = 'forged'
  for (const secret of secrets) {
    try {
      // The library takes its bytes as a Buffer alone.
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
      // By its text, since it has no code. The secret did fit then.
      else if (error.message.includes('tolerance')) fault = 'too_old'
    }
  }
  throw new WebhookRefused(fault)
}
