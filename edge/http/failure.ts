import { ApiError } from '../../shared/errors/api-error.ts'
import { LibraryFullError } from '../action-library/library-full-error.ts'
import { SourceDoesNotCompileError } from '../compile-check/source-does-not-compile-error.ts'
import { AccountLinkError, type AccountLinkFailure } from '../accounts/account-link-error.ts'
import {
  ACTION_LIBRARY_MAX_BYTES,
  ACTION_VERSIONS_MAX,
  LIBRARY_ACTIONS_MAX,
} from '../../shared/limits.ts'
import { AgentRequestsFullError } from '../identity/agent-requests.ts'
import { MailerNotConfiguredError, MailNotSentError } from '../identity/mailer.ts'
import { TriggerChainUnavailableError } from '../triggers/chain-head.ts'
import { OperatorRefusedError } from '../operator/operator-refused-error.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth/oauth-error.ts'
import { RateLimitExceededError } from '../limits/require-rate.ts'
import { PreviewBusyError } from '../triggers/preview/preview-chain-event.ts'
import { IndexFullError } from '../triggers/index-full-error.ts'
import { type TriggerRejection, TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { OriginBusyError } from '../trust/sealed-http.ts'

/**
 * Maps any error to the API error to respond with. An unknown error becomes a 500 that does not reveal any details to
 * the client.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof RateLimitExceededError)
    return new ApiError(
      429,
      `Too many requests from ${error.message}.`,
      'Try again after the number of seconds in Retry-After.',
      retryAfter(Math.max(1, Math.ceil(error.retryAfterMs / 1000))),
    )
  if (error instanceof OriginBusyError)
    return new ApiError(error.status, error.message, error.fix, {
      reason: error.reason,
      ...retryAfter(error.retryAfterS ?? 2),
    })
  if (error instanceof PreviewBusyError)
    return new ApiError(
      503,
      'Too many previews of this chain are in progress.',
      'Try again after the number of seconds in Retry-After.',
      { reason: 'preview_busy', ...retryAfter(Math.max(1, Math.ceil(error.retryAfterS))) },
    )
  if (error instanceof OriginUnavailableError) return originAway(error)
  if (error instanceof TriggerChainUnavailableError)
    return new ApiError(
      503,
      `No node of ${error.chain} responds, so the starting block of the trigger is unknown.`,
      'Nothing was stored. Try again shortly.',
      { reason: 'chain_unavailable', ...retryAfter(15) },
    )
  if (error instanceof MailerNotConfiguredError)
    return new ApiError(
      503,
      'Sign-in is not available: this service has no mailer configured.',
      'The operator has to configure a mailer (docs/configuration.md, "Mailer"). A local stack (SVC_ENV=local) does not need one.',
      // Clients may check every five minutes whether the operator has configured a mailer.
      { reason: 'mailer_not_configured', ...retryAfter(300) },
    )
  if (error instanceof MailNotSentError) return mailNotSent(error)
  if (error instanceof AgentRequestsFullError)
    return new ApiError(
      503,
      'Too many agent requests are pending.',
      'Ask the person to open /agent/authorize?challenge=<challenge>, which works without a registered request.',
      retryAfter(600),
    )
  if (error instanceof OperatorRefusedError)
    return new ApiError(OPERATOR_STATUSES[error.because], error.message, error.fix)
  if (error instanceof SourceDoesNotCompileError) {
    const { message, ...position } = error.error
    return new ApiError(
      422,
      `${error.field}: ${message} (line ${position.line}, column ${position.column}).`,
      'Correct the source at this position. Nothing was stored.',
      { reason: 'source_does_not_compile', position },
    )
  }
  if (error instanceof LibraryFullError) return libraryFull(error)
  if (error instanceof TriggerRejectedError) return triggerRefused(error.failure)
  if (error instanceof AccountLinkError) return linkRefused(error.failure)
  if (isDiskFull(error) || error instanceof IndexFullError)
    return new ApiError(
      503,
      'The service has no space left to store this.',
      'Nothing was stored. Try again after the number of seconds in Retry-After.',
      retryAfter(60),
    )
  if (isObjectAway(error) || isDatabaseAway(error)) {
    const fix = 'Try again shortly.'
    return new ApiError(503, 'Part of the service is unavailable.', fix, {
      headers: { 'retry-after': '5' },
    })
  }
  return new ApiError(
    500,
    'The server failed to process this request.',
    'Try again. If the error persists, report the x-request-id of this response.',
  )
}

type OAuthFailure = {
  status: 400 | 401 | 429
  error: OAuthErrorCode | 'temporarily_unavailable'
  error_description: string
  headers: Record<string, string>
}

/** Maps an error to a response of the OAuth endpoints (RFC 6749, 5.2). Undefined for a failure of the service. */
export function toOAuthFailure(error: unknown): OAuthFailure | undefined {
  if (error instanceof OAuthError) {
    const status = error.code === 'invalid_client' ? 401 : 400
    return { status, error: error.code, error_description: error.message, headers: {} }
  }
  const { status, message, headers } = toApiError(error)
  if (status >= 500) return undefined
  if (status === 429)
    return { status, error: 'temporarily_unavailable', error_description: message, headers }
  return { status: 400, error: 'invalid_request', error_description: message, headers }
}

const OPERATOR_STATUSES = { unknown: 404, state: 409, request: 422 } as const

function originAway({ isUnsent }: OriginUnavailableError): ApiError {
  if (isUnsent)
    return new ApiError(
      503,
      'The origin is unavailable or not verified.',
      'Nothing was executed or charged. Try again shortly.',
      retryAfter(5),
    )
  return new ApiError(
    503,
    'The origin did not respond.',
    'Check whether the request took effect before you send it again, or use the same Idempotency-Key.',
    retryAfter(5),
  )
}

/** `Retry-After` is longer if only the operator can resolve the failure. */
function mailNotSent({ failure: { reason, retryAfterMs = 0 } }: MailNotSentError): ApiError {
  const usual = reason === 'refused' || reason === 'redirected' ? 300 : 30
  const seconds = Math.min(Math.max(usual, Math.ceil(retryAfterMs / 1000)), 3600)
  return new ApiError(
    503,
    'The mail could not be sent.',
    'Try again after the number of seconds in Retry-After. If the error persists, check the address and report the x-request-id of this response.',
    { reason: 'mail_not_sent', ...retryAfter(seconds) },
  )
}

function libraryFull({ limit }: LibraryFullError): ApiError {
  const [message, fix] = {
    actions: [
      `Your library has ${LIBRARY_ACTIONS_MAX} actions, which is the maximum.`,
      'Delete actions that are no longer used.',
    ],
    versions: [
      `This action has ${ACTION_VERSIONS_MAX} versions, which is the maximum.`,
      'Delete versions that are no longer used.',
    ],
    bytes: [
      `The sources in your library would exceed ${ACTION_LIBRARY_MAX_BYTES / 1024 / 1024} MiB in total.`,
      'Delete actions or versions that are no longer used.',
    ],
  }[limit] as [string, string]
  return new ApiError(409, message, fix, { reason: 'action_library_full' })
}

function triggerRefused(failure: TriggerRejection): ApiError {
  switch (failure.reason) {
    case 'field':
      return new ApiError(422, `${failure.field}: ${failure.problem}.`, failure.fix)
    case 'account_key':
      return new ApiError(
        422,
        'usage_api_key: this is an account key, which can do everything in its account.',
        'Create a usage key for this trigger: POST /core/v1/add_usage_api_key with the account key and {"name": "...", "execute_in_groups": [<a group that permits the action>]}. Send its usage_api_key.',
      )
    case 'too_many_triggers':
      return new ApiError(
        409,
        `This account has ${failure.max} triggers, which is the maximum.`,
        'Delete triggers that are no longer used.',
        { reason: 'too_many_triggers' },
      )
    case 'chain_not_configured':
      return new ApiError(
        422,
        `config.chain: this deployment does not watch ${failure.chain}.`,
        failure.configured.length > 0
          ? `It watches ${failure.configured.join(', ')}. GET /api/chains returns their state.`
          : 'It does not watch any chain. The operator can configure chains with the setting CHAINS.',
        { reason: 'chain_not_configured' },
      )
    case 'suspended':
      return new ApiError(
        403,
        'The operator of this service suspended this trigger.',
        'Contact the operator. Until the trigger is resumed, enabled cannot change; other fields can.',
        { reason: 'trigger_suspended' },
      )
    case 'no_such_finality':
      return new ApiError(
        422,
        `options.finality: ${failure.chain} does not report which block is ${failure.finality}.`,
        'Send a depth in blocks, or omit it to use the chain’s default.',
      )
  }
}

function linkRefused(failure: AccountLinkFailure): ApiError {
  switch (failure.reason) {
    case 'unknown':
      return new ApiError(
        404,
        'You have no such linked account, share or invitation.',
        'Reload the page: it may have been removed.',
      )
    case 'account_key':
      return new ApiError(
        422,
        'usage_api_key: this is an account key, which can do everything in its account and is never stored.',
        'Create a usage key of the account, and link that.',
      )
    case 'unknown_key':
      return new ApiError(
        422,
        'usage_api_key: no account has this key.',
        'Check that the key is complete and was not removed.',
      )
    case 'expired_key':
      return new ApiError(422, 'usage_api_key: this key has expired.', 'Use another usage key.')
    case 'other_account':
      return new ApiError(
        422,
        'usage_api_key: this key belongs to another account.',
        'Use a usage key of the same account, or link the other account separately.',
      )
    case 'too_many_links':
      return new ApiError(
        409,
        `You have linked ${failure.max} accounts, which is the maximum.`,
        'Unlink an account that you no longer use.',
        { reason: 'too_many_linked_accounts' },
      )
    case 'too_many_shares':
      return new ApiError(
        409,
        `This account is shared with ${failure.max} people, which is the maximum.`,
        'Remove a person who no longer needs it.',
        { reason: 'too_many_shares' },
      )
    case 'already_shared':
      return new ApiError(
        409,
        'This account is already shared with this person, or the invitation is still open.',
        'To change the scope, remove the person and invite them again.',
      )
    case 'own_address':
      return new ApiError(
        422,
        'email: this is your own address.',
        'Send the address of another person.',
      )
    case 'account_key_required':
      return new ApiError(
        403,
        'A linked account cannot be used for this operation.',
        'Use the account key, directly at the core API.',
        { reason: 'account_key_required' },
      )
    case 'scope':
      return new ApiError(
        403,
        `This account is shared with you by the scope ${failure.scope}, which does not include this operation.`,
        'Ask the person who shared the account for another scope.',
        { reason: 'share_scope' },
      )
  }
}

function retryAfter(seconds: number) {
  return { headers: { 'retry-after': String(seconds) } }
}

/**
 * Error messages of the Workers runtime itself, for example if it cannot open a Durable Object's storage because the
 * disk is full. Errors thrown by our code in a Durable Object have other messages.
 */
const RUNTIME_FAILED = /^internal error; reference = \w+$/

/** Returns true if a Durable Object is restarting, moving or overloaded, or cannot start. The client should retry. */
function isObjectAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (RUNTIME_FAILED.test(error.message)) return true
  return Reflect.get(error, 'retryable') === true || Reflect.get(error, 'overloaded') === true
}

/**
 * SQLite's error codes for a full or failing disk, from D1 or from a Durable Object's storage. SQLite rolls the
 * transaction back.
 */
const DISK_FULL = /\bSQLITE_(FULL|IOERR)/

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return DISK_FULL.test(error.message) || isDiskFull(error.cause)
}

/**
 * Error messages of D1 while it is overloaded, moving or not responding. Errors in SQL statements do not match, because
 * they are defects in our code.
 */
const DATABASE_AWAY =
  /^D1_ERROR: .*(overloaded|connection lost|timed out|timeout|reset|unreachable|internal error)/i

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return DATABASE_AWAY.test(error.message) || isDatabaseAway(error.cause)
}
