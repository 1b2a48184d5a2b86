import { rfc3339 } from '../rfc3339.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { formatUsd } from '../../shared/usd.ts'
import type { PaymentRequiredError, SpendCapReachedError } from '../credits/credit-errors.ts'
import type { NotCreditedError } from '../credits/processor/payments.ts'
import type { WebhookRefusedError } from '../credits/processor/webhook.ts'
import type { ActionStoppedError } from './action-errors.ts'

const FIX_PAYMENT =
  'Add funds: POST /core/v1/billing/create_payment_intent, then confirm_payment. GET /core/v1/billing/balance shows the balance.'
const FIX_CAP =
  'Wait, or raise the cap of this key with the account key: POST /core/v1/update_usage_api_key.'

export function paymentRequiredError(error: PaymentRequiredError): ApiError {
  const { requiredCents, balanceCents, debtCents } = error
  const message = `This costs ${formatUsd(requiredCents, 'plain')} and the balance is ${formatUsd(balanceCents, 'plain')}.`
  const owed =
    debtCents > 0
      ? ` The account owes ${formatUsd(debtCents, 'plain')}, which the next payment covers first.`
      : ''
  return new ApiError(402, message + owed, FIX_PAYMENT)
}

/** 402, so that the edge keeps the runs of triggers in their queues until the account is resumed. */
export function accountSuspendedError(): ApiError {
  return new ApiError(
    402,
    'The operator of this service suspended the account; nothing was executed or charged.',
    'Contact the operator. Reads still work, and queued runs of triggers start when the account is resumed.',
    { reason: 'account_suspended' },
  )
}

export function spendCapReachedError(error: SpendCapReachedError): ApiError {
  const { requiredCents, leftCents, capCents, windowSeconds, nextLeavesAt } = error
  const at = nextLeavesAt && rfc3339(nextLeavesAt)
  const later = at === undefined ? '' : ` Some of it becomes available again at ${at}.`
  return new ApiError(
    402,
    `This costs ${formatUsd(requiredCents, 'plain')} and the key can spend ${formatUsd(leftCents, 'plain')} more: its cap is ${formatUsd(capCents, 'plain')} per ${windowSeconds} s.${later}`,
    FIX_CAP,
    { reason: 'spend_cap_reached' },
  )
}

export function actionStoppedError({ code, message, headers }: ActionStoppedError): ApiError {
  const fix =
    'The action may have had side effects; check before you try again. Nothing was charged.'
  switch (code) {
    case 'out_of_credits':
      return new ApiError(402, message, FIX_PAYMENT, { reason: code, headers })
    case 'spend_cap_reached':
      return new ApiError(402, message, FIX_CAP, { reason: code, headers })
    case 'failed_execution_allowance':
      return new ApiError(429, message, fix, {
        reason: code,
        headers: { 'retry-after': '60', ...headers },
      })
    case 'credits_unavailable':
      return new ApiError(503, message, fix, { headers: { 'retry-after': '2', ...headers } })
  }
}

/** Converts the status of an uncredited payment to 404 `not_found`, 409 `payment_pending` or 409 `payment_failed`. */
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

/** Maximum length of a payment processor's message to customers. Such messages have one or two sentences. */
const REASON_MAX_CHARACTERS = 500

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
