import { ApiError } from '../../shared/errors/api-error.ts'
import type { NotCreditedError } from '../credits/processor/not-credited.ts'
import type { WebhookRefusedError } from '../credits/processor/webhook.ts'

/** 404 `not_found`, 409 `payment_pending` or 409 `payment_failed`. */
export function notCreditedError({ status: standing }: NotCreditedError): ApiError {
  switch (standing.state) {
    case 'unknown':
      return new ApiError(
        404,
        'The account has no such payment.',
        'Send a payment_intent_id that create_payment_intent returned for this account.',
      )
    case 'pending':
      return new ApiError(
        409,
        'The payment has not settled yet: it is incomplete or still being processed.',
        'Confirm it with the processor’s client library, and try again. A transfer on a chain takes minutes and is also credited automatically.',
        { reason: 'payment_pending', headers: { 'retry-after': '5' } },
      )
    case 'failed': {
      const reason = standing.reason ?? (standing.isFinal ? 'It was canceled.' : 'It was declined.')
      return new ApiError(
        409,
        `The payment has failed: ${reason.slice(0, REASON_MAX_CHARACTERS)}`,
        standing.isFinal
          ? 'Start another one with create_payment_intent; nothing was credited or charged.'
          : 'Try again with the same client_secret, or start another payment; nothing was credited or charged.',
        { reason: 'payment_failed' },
      )
    }
  }
}

/** The payment processor's customer-facing messages have one or two sentences. */
const REASON_MAX_CHARACTERS = 500

/** Seen by the operator in the payment processor's dashboard. */
export function webhookError({ fault }: WebhookRefusedError): ApiError {
  switch (fault) {
    case 'unsigned':
      return badEvent('The event has no signature.', 'Send the header Stripe-Signature.')
    case 'forged':
      return badEvent(
        'The signature of the event is invalid.',
        'Set SVC_PROCESSOR_WEBHOOK_SECRET to the signing secret of this endpoint, and forward the body unmodified.',
      )
    case 'too_old':
      return badEvent(
        'The event was signed too long ago.',
        'Check the clock of this machine. If it is right, the event was replayed.',
      )
    case 'malformed':
      return badEvent(
        'The body or its signature is not a valid event.',
        'Send events of the processor unmodified.',
      )
  }
}

function badEvent(message: string, fix: string): ApiError {
  return new ApiError(400, message, fix)
}
