import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { invalidJson } from '../../shared/json/json-body.ts'
import { NotAdminError } from '../accounts/admin-wallet.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { GroupNotFoundError } from '../accounts/account-lookups.ts'
import { PredictedRevertError } from '../accounts/predicted-revert.ts'
import { ChainSecuredAccountError, OwnershipTransferredError } from '../accounts/ownership-mode.ts'
import { WalletProofError } from '../accounts/wallet-proofs/wallet-proof-error.ts'
import { ContractRevertError } from '../accounts/writer.ts'
import { InvalidSourceError } from '../actions/source-cid/json-source.ts'
import { BodyBudgetExhaustedError } from '../admission/body-budget.ts'
import { EnvelopeError } from '../channel/open-request.ts'
import { OverloadedError } from '../admission/event-loop-load.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { dollars } from '../credits/dollars.ts'
import { NoProcessorError } from '../credits/processor/no-processor.ts'
import { NotCreditedError } from '../credits/processor/not-credited.ts'
import { ProcessorUnavailableError } from '../credits/processor/processor.ts'
import { TooManyPaymentsError } from '../credits/processor/too-many-payments.ts'
import { WebhookRefusedError } from '../credits/processor/webhook.ts'
import {
  CreditsUnavailableError,
  AllowanceExhaustedError,
  PaymentRequiredError,
  RunsInFlightError,
  SpendCapReachedError,
} from '../credits/credit-errors.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import { ExecutorUnavailableError } from '../runs/execute-run.ts'
import { ActionNotPermittedError } from '../runs/executions.ts'
import { TeeUnavailableError } from '../tee/provider.ts'
import { ActionFailedError, ActionStoppedError } from './action-errors.ts'
import { BodyTooFragmentedError } from './connection/metered-request.ts'
import { BodyTooSlowError } from './body/read-body.ts'
import { contractApiError } from './contract-errors.ts'
import { NestedTooDeeplyError } from './json/scan.ts'
import { notCreditedError, webhookError } from './payment-errors.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'
import { notUtf8 } from './request-body.ts'
import { WalletCredentialError } from './wallet-signature.ts'
import { walletProofError } from './wallet-proof-errors.ts'

/** A 401 requires a challenge (RFC 9110, 15.5.2), but no scheme is registered for wallet signatures. */
const WALLET_CHALLENGE = { headers: { 'www-authenticate': 'EIP712' } }
/** A connection cannot be reused if the rest of a request body was not read. */
const CLOSE = { headers: { connection: 'close' } }
const RETRY = { headers: { 'retry-after': '2' } }
const FIX_PAYMENT =
  'Add funds: POST /core/v1/billing/create_payment_intent, then confirm_payment. GET /core/v1/billing/balance shows the balance.'
const FIX_CAP =
  'Wait, or raise the cap of this key with the account key: POST /core/v1/update_usage_api_key.'

export type FailureResponse = {
  status: ErrorStatus
  headers: Record<string, string>
  /** Structured error, or a string for failed actions and contract failures. */
  body: object | string
  /** Most specific name of the failure. */
  code: string
}

/** @param publicUrl base URL of documentation links */
export function failureResponse(error: unknown, publicUrl: string): FailureResponse {
  if (error instanceof ActionFailedError)
    return {
      status: 500,
      headers: { 'x-svc-error': error.code, ...error.headers },
      body: error.message,
      code: error.code,
    }
  const failure = apiErrorFrom(error)
  const { status, headers } = failure
  const body = isContractFailure(error, failure)
    ? `${failure.message} ${failure.fix}`
    : failure.toBody(publicUrl)
  return { status, headers, body, code: failure.reason }
}

/**
 * The contract rejected the write, on the chain or as predicted by the mirror. A rejected credential (401, 403) is
 * always an authorization failure, and a 503 is a failure of this origin (docs/decisions/0065).
 */
function isContractFailure(error: unknown, { status }: ApiError): boolean {
  const isRefusal = error instanceof ContractRevertError || error instanceof PredictedRevertError
  return isRefusal && (status === 400 || status === 404 || status === 409)
}

/** Unlisted errors are internal and become a generic 500. */
export function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ActionNotPermittedError) return actionNotPermitted(error)
  if (error instanceof ContractRevertError || error instanceof PredictedRevertError)
    return contractApiError(error.errorName, error.args)
  // Reads do not call the contract, so this is a structured 404 with the contract's error name and text.
  if (error instanceof GroupNotFoundError) return contractApiError('GroupDoesNotExist', error.args)
  if (error instanceof ChainSecuredAccountError) return chainSecured(error)
  if (error instanceof OwnershipTransferredError)
    return new ApiError(
      403,
      'The account was transferred to another wallet; its former API key can no longer read its billing.',
      `Send X-Wallet-Auth, signed by the admin wallet ${error.adminWallet}.`,
    )
  if (error instanceof NotAdminError) return notTheAdmin(error)
  if (error instanceof WalletCredentialError) {
    const { message, fix } = walletProofError(error.refusal)
    return new ApiError(401, message, fix, WALLET_CHALLENGE)
  }
  if (error instanceof WalletProofError) return walletProofError(error)
  if (error instanceof ContractUnavailableError)
    return new ApiError(
      503,
      `The chain is unavailable: ${error.message}.`,
      'Try again; nothing was charged.',
      RETRY,
    )
  if (error instanceof PaymentRequiredError) return paymentRequired(error)
  if (error instanceof SpendCapReachedError) return spendCapReached(error)
  if (error instanceof AllowanceExhaustedError) return failedRunAllowanceExhausted(error)
  if (error instanceof CreditsUnavailableError)
    return new ApiError(
      503,
      `The balance of the account could not be checked: ${error.message}.`,
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof NoProcessorError)
    return new ApiError(
      503,
      'Payments are not available: no payment processor is configured.',
      'Ask the operator of this origin to add credits; nothing was charged.',
      { headers: { 'retry-after': '3600' } },
    )
  if (error instanceof ProcessorUnavailableError)
    return new ApiError(
      503,
      'The payment processor does not respond.',
      'Try again; a completed payment is credited exactly once.',
      RETRY,
    )
  if (error instanceof NotCreditedError) return notCreditedError(error)
  if (error instanceof TooManyPaymentsError)
    return new ApiError(
      429,
      `Too many payments: ${error.message}.`,
      'Complete one of the open payments, or try again after the seconds in Retry-After.',
      retryAfter(error.retryAfterMs),
    )
  if (error instanceof WebhookRefusedError) return webhookError(error)
  if (error instanceof ActionStoppedError) return actionStopped(error)
  if (error instanceof ExecutorUnavailableError)
    return new ApiError(
      503,
      'The action runtime is unavailable.',
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof NestedTooDeeplyError)
    return new ApiError(
      400,
      `The body is nested too deeply: ${error.message}.`,
      'Flatten the JSON, or send nested parts as strings.',
    )
  if (error instanceof DatabaseUnavailableError)
    return new ApiError(
      503,
      'The database is unavailable.',
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof OverloadedError)
    return new ApiError(
      429,
      `The node is overloaded: ${error.message}.`,
      'Try again with exponential backoff; nothing was executed and nothing was charged.',
      { reason: 'overloaded', ...retryAfter(error.retryAfterMs) },
    )
  if (error instanceof RunsInFlightError)
    return new ApiError(
      429,
      'Runs of this action by this key are in flight and have reserved the free allowance for failed runs.',
      'Try again after the seconds in Retry-After; nothing was executed and nothing was charged.',
      { reason: 'overloaded', ...retryAfter(error.retryAfterMs) },
    )
  if (error instanceof LimitExceededError)
    return new ApiError(
      429,
      `Too many requests: ${error.message}.`,
      'Try again after the seconds in Retry-After.',
      retryAfter(error.retryAfterMs),
    )
  if (error instanceof TeeUnavailableError)
    return new ApiError(
      503,
      `The attestation evidence is unavailable: ${error.message}.`,
      'Try again later, and send no secrets until you have verified the evidence.',
      { headers: { 'retry-after': '30' } },
    )
  if (error instanceof KeyAlreadyShownError)
    return new ApiError(
      409,
      `A request with this Idempotency-Key created the key with the hash ${error.keyHash}; a key is shown only once.`,
      'If that response was lost, remove the key by this hash, and create another one with a new Idempotency-Key.',
      { reason: 'key_shown_before' },
    )
  if (error instanceof EnvelopeError) return envelopeRefusal(error)
  if (error instanceof InvalidSourceError) return sourceRefusal(error)
  if (error instanceof BodyBudgetExhaustedError)
    return new ApiError(
      503,
      `The request body cannot be accepted now: ${error.message}.`,
      'Try again after the seconds in Retry-After, with fewer concurrent large requests. Nothing was executed.',
      { headers: { ...CLOSE.headers, ...retryAfter(error.retryAfterMs).headers } },
    )
  if (error instanceof BodyTooSlowError)
    return new ApiError(
      408,
      `The request body arrived too slowly: ${error.message}.`,
      'Send it without pauses, over a faster connection.',
      { reason: 'body_too_slow', ...CLOSE },
    )
  if (error instanceof BodyTooFragmentedError)
    return new ApiError(
      400,
      `The request body arrived in ${error.message}.`,
      'Send it with a Content-Length, or in chunks of several KiB; buffer the output of your encoder.',
      CLOSE,
    )
  return new ApiError(
    500,
    'Internal server error.',
    'Try again; if the error persists, report the x-request-id of this response.',
  )
}

function actionNotPermitted({ cid, isInNoGroup }: ActionNotPermittedError): ApiError {
  if (isInNoGroup)
    return new ApiError(
      403,
      `The key can run every action that a group of the account permits, but no group permits ${cid}.`,
      'Add the action to a group of the account (add_action_to_group, or cid_hashes_permitted).',
    )
  return new ApiError(
    403,
    `The key is not allowed to run the action ${cid}: none of its execute groups permits it.`,
    'Add the action to a group (add_action_to_group, or cid_hashes_permitted) that the key lists in execute_in_groups.',
  )
}

/** Whole seconds: at least one, or two if the delay is unknown. */
function retryAfter(ms: number | undefined) {
  if (ms === undefined) return RETRY
  return { headers: { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) } }
}

function paymentRequired({
  requiredCents,
  balanceCents,
  debtCents,
}: PaymentRequiredError): ApiError {
  const message = `This costs ${dollars(requiredCents)} and the balance is ${dollars(balanceCents)}.`
  const owed =
    debtCents > 0
      ? ` The account owes ${dollars(debtCents)}, which the next payment covers first.`
      : ''
  return new ApiError(402, message + owed, FIX_PAYMENT)
}

function spendCapReached(error: SpendCapReachedError): ApiError {
  const { requiredCents, leftCents, capCents, windowSeconds, nextLeavesAt } = error
  const later = nextLeavesAt
    ? ` Some of it becomes available again at ${rfc3339(nextLeavesAt)}.`
    : ''
  return new ApiError(
    402,
    `This costs ${dollars(requiredCents)} and the key can spend ${dollars(leftCents)} more: its cap is ${dollars(capCents)} per ${windowSeconds} s.${later}`,
    FIX_CAP,
    { reason: 'spend_cap_reached' },
  )
}

function failedRunAllowanceExhausted({ of, retryAfterMs }: AllowanceExhaustedError): ApiError {
  const whose = of === 'pair' ? 'of this action by this key' : 'of this account'
  return new ApiError(
    429,
    `The free allowance for failed runs ${whose} is exhausted for this hour; nothing was executed.`,
    'Fix the failing runs, then try again after the seconds in Retry-After. Paid runs increase the allowance.',
    { reason: 'failed_execution_allowance', ...retryAfter(retryAfterMs) },
  )
}

function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

function actionStopped({ code, message, headers }: ActionStoppedError): ApiError {
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
      return new ApiError(503, message, fix, { headers: { ...RETRY.headers, ...headers } })
  }
}

function chainSecured({ adminWallet, write }: ChainSecuredAccountError): ApiError {
  const message = 'The account is in ChainSecured mode; its former API key is no longer valid.'
  if (!write)
    return new ApiError(
      403,
      message,
      'Use a usage key of the account, or read the account from the chain. For billing and spending caps, send X-Wallet-Auth, signed by the admin wallet.',
    )
  const { functionName, clientMethod, contractAddress, chainId } = write
  const send = `Send ${functionName} to the contract ${contractAddress} on chain ${chainId} from the wallet ${adminWallet}`
  return new ApiError(
    403,
    'The account is in ChainSecured mode; only its admin wallet can change it.',
    clientMethod === undefined
      ? `${send}.`
      : `${send}, or call ${clientMethod}() of svc/client in mode 'sovereign'.`,
    { contractError: 'no_account_access' },
  )
}

/**
 * A 401, because the wallet is the credential. The message may name the current admin wallet, which is public on the
 * chain.
 */
function notTheAdmin({ wallet, currentAdmin: heir }: NotAdminError): ApiError {
  if (heir !== undefined)
    return new ApiError(
      401,
      `The wallet ${wallet} is no longer the admin of the account: it was transferred to ${heir}.`,
      `Sign with the wallet ${heir}.`,
      WALLET_CHALLENGE,
    )
  return new ApiError(
    401,
    `The wallet ${wallet} is not the admin of any ChainSecured account.`,
    'Open an account from this wallet (newChainSecuredAccount of the contract), or convert one to it (convert_to_chain_secured_account). For an account in API mode, send its key.',
    WALLET_CHALLENGE,
  )
}

function sourceRefusal({ fault }: InvalidSourceError): ApiError {
  const badValue = (status: 400 | 422, message: string) =>
    new ApiError(status, message, 'Send the source as one JSON string.')
  switch (fault.reason) {
    case 'not_utf8':
      return notUtf8()
    case 'not_json':
      return invalidJson(fault.detail)
    case 'not_a_string':
      return badValue(422, 'body: expected a string')
    case 'not_well_formed':
      return badValue(400, 'body: expected well-formed Unicode, without lone surrogates')
    case 'too_large':
      return new ApiError(
        413,
        `body: the source has more than ${fault.maxBytes} bytes.`,
        `Send at most ${fault.maxBytes} bytes of source.`,
      )
  }
}

function envelopeRefusal({ failure }: EnvelopeError): ApiError {
  switch (failure.reason) {
    case 'unknown_key':
      return new ApiError(
        421,
        `The request is sealed to a key that this origin does not have: ${failure.keyId}.`,
        'Fetch and verify /evidences/channel-key.json again, and seal to its key.',
        { reason: 'unknown_channel_key' },
      )
    case 'unknown_psk':
      return new ApiError(
        401,
        'The pre-shared key does not match this origin’s.',
        'Set CHANNEL_PSK of the edge and SVC_CHANNEL_PSK of the origin to the same value.',
        { reason: 'unknown_psk' },
      )
    case 'malformed':
    case 'not_authentic':
      return new ApiError(
        400,
        'The sealed request cannot be decrypted.',
        'Seal it to the key in /evidences/channel-key.json, for exactly this method and path.',
      )
  }
}
