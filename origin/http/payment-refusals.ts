import { ApiError } from '../../shared/errors.ts'
import type { NotCredited } from '../credits/processor/not-credited.ts'
import type { WebhookRefused } from '../credits/processor/webhook.ts'

/** Maps to 404 `not_found`, or 409 `payment_pending` or `payment_failed`. */
export function notCredited({ standing }: NotCredited): ApiError {
  switch (standing.state) {
    case 'unknown':
      return new ApiError(
        404,
        'There is no such payment in this account.',
        'Send the payment_intent_id that create_payment_intent gave to this account.',
      )
    case 'pending':
      return new ApiError(
        409,
        'The payment has not settled yet: it was not made, or is on its way.',
        'Confirm it with the processor’s client library, and ask again. A transfer on a chain takes minutes; it is credited by itself, too.',
        { reason: 'payment_pending', headers: { 'retry-after': '5' } },
      )
    case 'failed': {
      const reason = standing.reason ?? (standing.isFinal ? 'It was canceled.' : 'It was refused.')
      return new ApiError(
        409,
        `The payment has failed: ${reason.slice(0, REASON_MAX_CHARACTERS)}`,
        standing.isFinal
          ? 'Begin another one with create_payment_intent; nothing was credited or charged.'
          : 'Try again with the same client_secret, or begin another one; nothing was credited or charged.',
        { reason: 'payment_failed' },
      )
    }
  }
}

/** The processor's customer-facing messages are one or two sentences. */
const REASON_MAX_CHARACTERS = 500

/** Returns the error for a rejected event, which the operator sees in the processor's dashboard. */
export function webhookRefusal({ fault }: WebhookRefused): ApiError {
  switch (fault) {
    case 'unsigned':
      return badEvent('The event has no signature.', 'Send the header Stripe-Signature.')
    case 'forged':
      return badEvent(
        'The signature of the event does not fit.',
        'Set SVC_PROCESSOR_WEBHOOK_SECRET to the signing secret of this very endpoint, and pass the body on byte for byte.',
      )
    case 'too_old':
      return badEvent(
        'The event was signed too long ago.',
        'Set the clock of this machine; or else somebody sent an old event again.',
      )
    case 'malformed':
      return badEvent(
        'The body or its signature is not that of an event.',
        'Send events of the processor as they are.',
      )
  }
}

function badEvent(message: string, fix: string): ApiError {
  return new ApiError(400, message, fix)
}
