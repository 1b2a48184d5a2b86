import type { ErrorCode } from '../../shared/errors/error-codes.ts'
import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { invalidJson } from '../../shared/json/json-body.ts'
import { LISTED_DATA_MAX_BYTES, TRANSACTION_DATA_RETENTION_DAYS } from '../../shared/limits.ts'
import { SEND_TRANSACTION_CID } from '../../shared/wire/send-transaction-action.ts'
import { NotAdminError } from '../accounts/admin-wallet.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { GroupNotFoundError, WalletNotFoundError } from '../accounts/account-lookups.ts'
import { PredictedRevertError } from '../accounts/predicted-revert.ts'
import { ChainSecuredAccountError, OwnershipTransferredError } from '../accounts/ownership-mode.ts'
import { WalletProofError } from '../accounts/wallet-proofs/wallet-proof-error.ts'
import { ContractRevertError } from '../accounts/writer.ts'
import { InvalidSourceError } from '../actions/source-cid/json-source.ts'
import { BodyBudgetExhaustedError } from '../admission/body-budgets.ts'
import { DrainingError } from '../admission/drain.ts'
import { EnvelopeError } from '../channel/open-request.ts'
import { OverloadedError } from '../admission/event-loop-load.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { TooManyPaymentsError } from '../credits/processor/payment-query-rate.ts'
import { NotCreditedError } from '../credits/processor/payments.ts'
import { NoProcessorError, ProcessorUnavailableError } from '../credits/processor/processor.ts'
import { WebhookRefusedError } from '../credits/processor/webhook.ts'
import {
  CreditsUnavailableError,
  AllowanceExhaustedError,
  AccountSuspendedError,
  PaymentRequiredError,
  RunsInFlightError,
  SpendCapReachedError,
} from '../credits/credit-errors.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import { PolicyDocumentError } from '../policies/documents.ts'
import { PolicyNotFoundError } from '../policies/held-policy.ts'
import { SumsUnavailableError } from '../policies/sums/sums-unavailable.ts'
import { ExecutorUnavailableError } from '../runs/execute-run.ts'
import { ActionNotPermittedError } from '../runs/executions.ts'
import { TeeUnavailableError } from '../tee/provider.ts'
import { TooManyTransactionsError, TransactionIdentityError } from '../transactions/errors.ts'
import { TransactionRequestError } from '../transactions/request.ts'
import { SendNotPermittedError, TransactionNotFoundError } from '../transactions/rights.ts'
import { UnknownChainError } from '../transactions/unknown-chain-error.ts'
import {
  AddressNotAllowedError,
  KeyConcurrencyError,
  KeyExpiredError,
  KeyNotForTriggersError,
  KeyRateError,
  OriginNotAllowedError,
} from '../usage-keys/key-limits.ts'
import { rfc3339 } from '../rfc3339.ts'
import { ActionFailedError, ActionStoppedError } from './action-errors.ts'
import { BodyTooFragmentedError } from './connection/metered-request.ts'
import { BodyTooSlowError } from './body/read-body.ts'
import { contractApiError } from './contract-errors.ts'
import { NestedTooDeeplyError } from './json/scan.ts'
import {
  accountSuspendedError,
  actionStoppedError,
  notCreditedError,
  paymentRequiredError,
  spendCapReachedError,
  webhookError,
} from './payment-errors.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'
import { InvalidPolicyError } from './policy-text.ts'
import { notUtf8 } from './request-body.ts'
import { WalletCredentialError } from './wallet-signature.ts'
import { walletProofError } from './wallet-proof-errors.ts'

/**
 * Domain errors that are reported to clients. All other errors are internal. `domainApiError` needs a case for each.
 */
const DOMAIN_ERRORS = [
  ChainSecuredAccountError,
  ContractRevertError,
  ContractUnavailableError,
  GroupNotFoundError,
  WalletNotFoundError,
  NotAdminError,
  OwnershipTransferredError,
  PredictedRevertError,
  PolicyDocumentError,
  PolicyNotFoundError,
  SumsUnavailableError,
  WalletProofError,
  ActionNotPermittedError,
  ActionStoppedError,
  ExecutorUnavailableError,
  InvalidSourceError,
  AllowanceExhaustedError,
  CreditsUnavailableError,
  AccountSuspendedError,
  PaymentRequiredError,
  RunsInFlightError,
  SpendCapReachedError,
  NoProcessorError,
  NotCreditedError,
  ProcessorUnavailableError,
  TooManyPaymentsError,
  WebhookRefusedError,
  BodyBudgetExhaustedError,
  DrainingError,
  LimitExceededError,
  OverloadedError,
  DatabaseUnavailableError,
  EnvelopeError,
  AddressNotAllowedError,
  KeyConcurrencyError,
  KeyExpiredError,
  KeyNotForTriggersError,
  KeyRateError,
  OriginNotAllowedError,
  TeeUnavailableError,
  UnknownChainError,
  TransactionRequestError,
  SendNotPermittedError,
  TransactionNotFoundError,
  TransactionIdentityError,
  TooManyTransactionsError,
  BodyTooFragmentedError,
  BodyTooSlowError,
  InvalidPolicyError,
  KeyAlreadyShownError,
  NestedTooDeeplyError,
  WalletCredentialError,
] as const
type DomainError = InstanceType<(typeof DOMAIN_ERRORS)[number]>

type FailureResponse = {
  status: ErrorStatus
  headers: Record<string, string>
  /** Response body: a structured error, or a string for failed actions and contract failures. */
  body: object | string
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
 * True if the contract rejected the write, either on the chain or as predicted by the mirror. A rejected credential
 * (401, 403) is always an authorization failure, and a 503 is a failure of this origin (docs/decisions/0065).
 */
function isContractFailure(error: unknown, { status }: ApiError): boolean {
  const isRefusal = error instanceof ContractRevertError || error instanceof PredictedRevertError
  return isRefusal && (status === 400 || status === 404 || status === 409)
}

/** Internal errors become a generic 500. */
export function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isDomainError(error)) return domainApiError(error)
  return new ApiError(
    500,
    'Internal server error.',
    'Try again; if the error persists, report the x-request-id of this response.',
  )
}

function isDomainError(error: unknown): error is DomainError {
  return DOMAIN_ERRORS.some((errorClass) => error instanceof errorClass)
}

/** The switch has no default, so a listed error without a case does not compile. */
function domainApiError(error: DomainError): ApiError {
  switch (error.name) {
    case 'ContractRevertError':
    case 'PredictedRevertError':
      return contractApiError(error.errorName, error.args)
    case 'GroupNotFoundError':
      // Reads do not call the contract. This error is therefore a structured 404 with the contract's error name and
      // text.
      return contractApiError('GroupDoesNotExist', error.args)
    case 'WalletNotFoundError':
      return contractApiError('WalletDoesNotExist', error.args)
    case 'ContractUnavailableError':
      return unavailable(
        `The chain is unavailable: ${error.message}.`,
        'Try again; nothing was charged.',
      )
    case 'ChainSecuredAccountError':
      return chainSecured(error)
    case 'OwnershipTransferredError':
      return new ApiError(
        403,
        'The account was transferred to another wallet; its former API key can no longer read its billing.',
        `Send X-Wallet-Auth, signed by the admin wallet ${error.adminWallet}.`,
      )
    case 'NotAdminError':
      return notTheAdmin(error)
    case 'InvalidPolicyError':
      return policyError(error)
    case 'PolicyNotFoundError':
      return contractApiError(error.missing.errorName, error.missing.args)
    case 'PolicyDocumentError':
      return unavailable(
        `The policy cannot be read: ${error.message}.`,
        'Set the policy again, with its document (set_wallet_policy), or ask the operator to restore the document.',
        30,
      )
    case 'SumsUnavailableError':
      return unavailable(
        `The sums of the policy are unavailable: ${error.message}.`,
        'Try again later; nothing was signed and nothing was counted.',
        30,
      )
    case 'WalletProofError':
      return walletProofError(error)
    case 'WalletCredentialError': {
      const { message, fix } = walletProofError(error.refusal)
      return new ApiError(401, message, fix, WALLET_CHALLENGE)
    }
    case 'KeyExpiredError':
      return new ApiError(
        401,
        `The usage key expired at ${rfc3339(error.expiredAt)}.`,
        'Send another key, or have the owner move expires_at with update_usage_api_key.',
        { reason: 'key_expired', headers: { 'www-authenticate': 'Bearer' } },
      )
    case 'KeyRateError':
      return tooManyRequests(
        `The usage key has reached its limit of ${error.max} requests per minute.`,
        'Try again after the seconds in Retry-After; nothing was executed and nothing was charged.',
        error.retryAfterMs,
        'key_rate_reached',
      )
    case 'KeyConcurrencyError':
      return tooManyRequests(
        `The usage key has reached its limit of ${error.max} runs in flight.`,
        'Try again when one of its runs has ended; nothing was executed and nothing was charged.',
        KEY_RUNS_RETRY_MS,
        'key_concurrency_reached',
      )
    case 'OriginNotAllowedError':
      return new ApiError(
        403,
        error.origin === null
          ? 'The usage key is restricted to web origins, and the request has no Origin header.'
          : `The usage key is not allowed from the web origin ${JSON.stringify(error.origin.slice(0, 256))}.`,
        'Use the key in a web page of one of its origins, or have the owner change allowed_origins.',
        { reason: 'origin_not_allowed' },
      )
    case 'AddressNotAllowedError':
      return new ApiError(
        403,
        error.address === ''
          ? 'The usage key is restricted to addresses, and the address of the client is unknown.'
          : `The usage key is not allowed from the address ${error.address}.`,
        'Send the request from an allowed network, or have the owner change allowed_ips.',
        { reason: 'address_not_allowed' },
      )
    case 'KeyNotForTriggersError':
      return new ApiError(
        403,
        'The usage key is restricted to web origins or addresses, so triggers cannot use it.',
        'Use another key for the trigger, or have the owner set allow_triggers.',
        { reason: 'key_not_for_triggers' },
      )
    case 'ActionNotPermittedError':
      return actionNotPermitted(error)
    case 'ActionStoppedError':
      return actionStoppedError(error)
    case 'ExecutorUnavailableError':
      return unavailable('The action runtime is unavailable.', FIX_NOTHING_EXECUTED)
    case 'InvalidSourceError':
      return sourceRefusal(error)
    case 'PaymentRequiredError':
      return paymentRequiredError(error)
    case 'AccountSuspendedError':
      return accountSuspendedError()
    case 'SpendCapReachedError':
      return spendCapReachedError(error)
    case 'AllowanceExhaustedError': {
      const whose = error.of === 'pair' ? 'of this action by this key' : 'of this account'
      return tooManyRequests(
        `The free allowance for failed runs ${whose} is exhausted for this hour; nothing was executed.`,
        'Fix the failing runs, then try again after the seconds in Retry-After. Paid runs increase the allowance.',
        error.retryAfterMs,
        'failed_execution_allowance',
      )
    }
    case 'RunsInFlightError':
      return tooManyRequests(
        'Runs of this action by this key are in flight and have reserved the free allowance for failed runs.',
        'Try again after the seconds in Retry-After; nothing was executed and nothing was charged.',
        error.retryAfterMs,
        'overloaded',
      )
    case 'CreditsUnavailableError':
      return unavailable(
        `The balance of the account could not be checked: ${error.message}.`,
        FIX_NOTHING_EXECUTED,
      )
    case 'NoProcessorError':
      return unavailable(
        'Payments are not available: no payment processor is configured.',
        'Ask the operator of this origin to add credits; nothing was charged.',
        3600,
      )
    case 'ProcessorUnavailableError':
      return unavailable(
        'The payment processor does not respond.',
        'Try again; a completed payment is credited exactly once.',
      )
    case 'NotCreditedError':
      return notCreditedError(error)
    case 'TooManyPaymentsError':
      return tooManyRequests(
        `Too many payments: ${error.message}.`,
        'Complete one of the open payments, or try again after the seconds in Retry-After.',
        error.retryAfterMs,
      )
    case 'WebhookRefusedError':
      return webhookError(error)
    case 'OverloadedError':
      return tooManyRequests(
        `The node is overloaded: ${error.message}.`,
        'Try again with exponential backoff; nothing was executed and nothing was charged.',
        error.retryAfterMs,
        'overloaded',
      )
    case 'LimitExceededError':
      return tooManyRequests(
        `Too many requests: ${error.message}.`,
        'Try again after the seconds in Retry-After.',
        error.retryAfterMs,
      )
    case 'BodyBudgetExhaustedError':
      return new ApiError(
        503,
        `The request body cannot be accepted now: ${error.message}.`,
        'Try again after the seconds in Retry-After, with fewer concurrent large requests. Nothing was executed.',
        { headers: { ...CLOSE.headers, ...retryAfter(error.retryAfterMs) } },
      )
    case 'DrainingError':
      return new ApiError(
        503,
        'This process of the origin is about to stop, and accepts no new work.',
        'Try again after the seconds in Retry-After, over a new connection; nothing was executed and nothing was charged.',
        { reason: 'draining', headers: { ...CLOSE.headers, ...retryAfter(DRAINING_RETRY_MS) } },
      )
    case 'DatabaseUnavailableError':
      return unavailable('The database is unavailable.', FIX_NOTHING_EXECUTED)
    case 'TeeUnavailableError':
      return unavailable(
        `The attestation evidence is unavailable: ${error.message}.`,
        'Try again later, and send no secrets until you have verified the evidence.',
        30,
      )
    case 'UnknownChainError':
      return new ApiError(
        400,
        `chain: ${error.message}.`,
        error.configured.length > 0
          ? 'Send the name or the ID of one of these chains.'
          : 'Ask the operator of this origin to set CHAINS.',
        { reason: 'unknown_chain' },
      )
    case 'TransactionRequestError':
      return new ApiError(
        400,
        error.message,
        'Correct the named field; docs/transactions.md describes all fields.',
      )
    case 'SendNotPermittedError':
      return sendNotPermitted(error)
    case 'TransactionNotFoundError':
      return new ApiError(
        404,
        `There is no transaction ${JSON.stringify(error.id.slice(0, 64))}, or it was not requested with this key.`,
        'Send the ID of one of the transactions that GET /core/v1/transactions lists.',
      )
    case 'TransactionIdentityError':
      return new ApiError(
        409,
        `Idempotency-Key: already used for another request, which is the transaction ${error.id}.`,
        'Send exactly the first request to get this transaction, or a new Idempotency-Key to send another one.',
        { reason: 'idempotency_key_reused' },
      )
    case 'TooManyTransactionsError':
      return tooManyRequests(
        `Too many transactions: ${error.message}.`,
        TRANSACTION_LIMIT_FIXES[error.limit],
        OPEN_TRANSACTIONS_RETRY_MS,
      )
    case 'EnvelopeError':
      return envelopeRefusal(error)
    case 'NestedTooDeeplyError':
      return new ApiError(
        400,
        `The body is nested too deeply: ${error.message}.`,
        'Flatten the JSON, or send nested parts as strings.',
      )
    case 'BodyTooSlowError':
      return new ApiError(
        408,
        `The request body arrived too slowly: ${error.message}.`,
        'Send it without pauses, over a faster connection.',
        { reason: 'body_too_slow', ...CLOSE },
      )
    case 'BodyTooFragmentedError':
      return new ApiError(
        400,
        `The request body arrived in ${error.message}.`,
        'Send it with a Content-Length, or in chunks of several KiB; buffer the output of your encoder.',
        CLOSE,
      )
    case 'KeyAlreadyShownError':
      return new ApiError(
        409,
        `A request with this Idempotency-Key created the key with the hash ${error.keyHash}; a key is shown only once.`,
        'If that response was lost, remove the key by this hash, and create another one with a new Idempotency-Key.',
        { reason: 'key_shown_before' },
      )
  }
}

/** A 401 requires a challenge (RFC 9110, 15.5.2), but no scheme is registered for wallet signatures. */
const WALLET_CHALLENGE = { headers: { 'www-authenticate': 'EIP712' } }
/** Response headers that close the connection. It cannot be reused if the rest of a request body was not read. */
const CLOSE = { headers: { connection: 'close' } }
/** Time in which several blocks are mined on most chains. */
const TRANSACTION_LIMIT_FIXES: Readonly<Record<TooManyTransactionsError['limit'], string>> = {
  open: 'Wait until some of them have ended, or cancel them: GET /core/v1/transactions shows what they wait for.',
  data: `Wait until open ones are final, or others ended ${TRANSACTION_DATA_RETENTION_DAYS} days ago. Data of up to ${LISTED_DATA_MAX_BYTES} bytes is not counted.`,
  unsigned:
    'Correct your requests: failure in GET /core/v1/transactions says why they were rejected. Transactions that actions send are not counted.',
}
const OPEN_TRANSACTIONS_RETRY_MS = 30_000
const KEY_RUNS_RETRY_MS = 1_000
/** Another process can usually serve the request immediately. */
const DRAINING_RETRY_MS = 1_000
const FIX_NOTHING_EXECUTED = 'Try again; nothing was executed and nothing was charged.'

function unavailable(message: string, fix: string, retryAfterS = 2): ApiError {
  return new ApiError(503, message, fix, { headers: { 'retry-after': String(retryAfterS) } })
}

function tooManyRequests(
  message: string,
  fix: string,
  retryAfterMs: number | undefined,
  reason?: ErrorCode,
): ApiError {
  return new ApiError(429, message, fix, { reason, headers: retryAfter(retryAfterMs) })
}

/** Formats a `Retry-After` header in whole seconds: at least one, or two if the delay is unknown. */
function retryAfter(ms = 2_000): { 'retry-after': string } {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) }
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

/** Bounds the message, because a key can have 50 groups. */
const GROUPS_SHOWN_MAX = 10

function sendNotPermitted({ missing, pkpId, groups }: SendNotPermittedError): ApiError {
  const shown = groups.slice(0, GROUPS_SHOWN_MAX).join(', ')
  const named = `${groups.length === 1 ? 'group' : 'groups'} ${shown}${groups.length > GROUPS_SHOWN_MAX ? ', …' : ''}`
  if (missing === 'wallet')
    return new ApiError(
      403,
      `The key may send transactions, but not with the wallet ${pkpId}: ${named} of the account ${groups.length === 1 ? 'does' : 'do'} not permit it.`,
      'Add the wallet to one of these groups (add_pkp_to_group).',
    )
  const target = groups.length === 0 ? 'a group that the key lists in execute_in_groups' : named
  return new ApiError(
    403,
    `The key is not allowed to send transactions: none of its execute groups permits the built-in action ${SEND_TRANSACTION_CID}.`,
    `Add this action to ${target} (add_action_to_group with action_ipfs_cid ${SEND_TRANSACTION_CID}). The group also needs the wallet (add_pkp_to_group).`,
  )
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
      : `${send}, or call ${clientMethod}() of @svc-run/client in mode 'sovereign'.`,
    { contractError: 'no_account_access' },
  )
}

/**
 * The status is 401, because the wallet is the credential. The message may name the current admin wallet, which is
 * public on the chain.
 */
function notTheAdmin({ wallet, currentAdmin }: NotAdminError): ApiError {
  if (currentAdmin !== undefined)
    return new ApiError(
      401,
      `The wallet ${wallet} is no longer the admin of the account: it was transferred to ${currentAdmin}.`,
      `Sign with the wallet ${currentAdmin}.`,
      WALLET_CHALLENGE,
    )
  return new ApiError(
    401,
    `The wallet ${wallet} is not the admin of any ChainSecured account.`,
    'Open an account from this wallet (newChainSecuredAccount of the contract), or convert one to it (convert_to_chain_secured_account). For an account in API mode, send its key.',
    WALLET_CHALLENGE,
  )
}

/** Bounds the response, because a document can contain any number of problems. */
const POLICY_PROBLEMS_MAX = 20

function policyError({ problems }: InvalidPolicyError): ApiError {
  const shown = problems
    .slice(0, POLICY_PROBLEMS_MAX)
    .map(({ path, problem }) => `${path === 'policy' ? path : `policy.${path}`}: ${problem}`)
  const rest = problems.length - shown.length
  return new ApiError(
    400,
    [...shown, ...(rest > 0 ? [`and ${rest} more problems`] : [])].join('; ').slice(0, 4_000),
    'Correct the policy; docs/policies.md describes all members, and svc wallet policy check validates it offline.',
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
