/**
 * An event only signals that a payment may have changed. The event's data is not trusted, except for the ID of the
 * payment.
 */
import Stripe from 'stripe'
import { z } from 'zod'
import { processorId } from './responses.ts'

/** Older events are rejected as replays. The library has the same default. */
const TOLERANCE_S = 300

type WebhookFault = 'unsigned' | 'forged' | 'too_old' | 'malformed'

export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError'
  readonly fault: WebhookFault
  constructor(fault: WebhookFault) {
    super(`the processor's event was rejected: ${fault}`)
    this.fault = fault
  }
}

type WebhookOptions = {
  /** Signing secrets, any of which may have signed the event. There are two while the operator rotates the secret. */
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

const PAYMENT_OBJECTS = new Set(['charge', 'refund', 'dispute'])

/**
 * @param body the raw bytes, which the signature covers
 * @returns undefined if the event does not refer to a payment, or is of the other mode (live or test)
 * @throws {WebhookRefusedError}
 */
export async function eventIntentId(
  body: Uint8Array,
  signature: string | undefined,
  { secrets, live, now }: WebhookOptions,
): Promise<string | undefined> {
  if (signature === undefined || signature === '') throw new WebhookRefusedError('unsigned')
  const event = eventSchema.safeParse(await verifyEvent(body, signature, secrets, now()))
  if (!event.success) throw new WebhookRefusedError('malformed')
  const { livemode, data } = event.data
  if (livemode !== live) return undefined
  const { id, object, payment_intent } = data.object
  const intentId = object === 'payment_intent' ? id : PAYMENT_OBJECTS.has(object) && payment_intent
  return processorId.safeParse(intentId).data
}

/** @throws {WebhookRefusedError} */
async function verifyEvent(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<unknown> {
  let fault: WebhookFault = 'forged'
  for (const secret of secrets) {
    try {
      // Stripe's library accepts bytes only as a Buffer.
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
      // The error has no code, so the message text is compared. An event that is only too old has a valid signature.
      else if (error.message.includes('tolerance')) fault = 'too_old'
    }
  }
  throw new WebhookRefusedError(fault)
}
