import { ApiError } from '../../shared/errors.ts'
import { RequestsFull } from '../identity/agent-requests.ts'
import { MailerNotConfigured, MailNotSent } from '../identity/mailer.ts'
import { ChainUnavailable } from '../triggers/chain-head.ts'
import { TooManyCalls } from '../limits/require-rate.ts'
import { PreviewBusy } from '../triggers/preview/preview-busy.ts'
import { type TriggerFailure, TriggerRefused } from '../triggers/trigger-refused.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { OriginBusy } from '../trust/sealed-http.ts'

/**
 * Maps all failures of the edge to a status, in this place only. Unlisted errors are internal, and reveal nothing to
 * the caller.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TooManyCalls)
    return new ApiError(
      429,
      `Too many requests: ${error.message}.`,
      'Try again after the seconds in Retry-After.',
      retryAfter(Math.max(1, Math.ceil(error.retryAfterMs / 1000))),
    )
  if (error instanceof OriginBusy)
    return new ApiError(error.status, error.message, error.fix, {
      reason: error.reason,
      ...retryAfter(error.retryAfterS ?? 2),
    })
  if (error instanceof PreviewBusy)
    return new ApiError(
      503,
      'Too many previews of this chain are under way.',
      'Send it again after the seconds in Retry-After.',
      { reason: 'preview_busy', ...retryAfter(Math.max(1, Math.ceil(error.retryAfterS))) },
    )
  if (error instanceof OriginAway) return originAway(error)
  if (error instanceof ChainUnavailable)
    return new ApiError(
      503,
      `The nodes of ${error.chain} do not answer, and a trigger begins at their head.`,
      'Send it again shortly; nothing was stored.',
      { reason: 'chain_unavailable', ...retryAfter(15) },
    )
  if (error instanceof MailerNotConfigured)
    return new ApiError(
      503,
      'Sign-in is not available: this service has no mailer configured.',
      'The operator configures a mailer (docs/configuration.md, "Mailer"). A local stack (SVC_ENV=local) needs none.',
      // An interval at which to check whether the operator has configured a mailer.
      { reason: 'mailer_not_configured', ...retryAfter(300) },
    )
  if (error instanceof MailNotSent) return mailNotSent(error)
  if (error instanceof RequestsFull)
    return new ApiError(
      503,
      'No more requests of agents are taken at the moment.',
      'Have the person open /agent/authorize?challenge=<challenge>, which needs no request.',
      retryAfter(600),
    )
  if (error instanceof TriggerRefused) return triggerRefused(error.failure)
  if (isDiskFull(error))
    return new ApiError(
      503,
      'The service has no space left to store this.',
      'Send it again after the seconds in Retry-After; nothing was stored.',
      retryAfter(60),
    )
  if (isObjectAway(error) || isDatabaseAway(error)) {
    const fix = 'Send it again shortly.'
    return new ApiError(503, 'A part of the service could not be reached.', fix, {
      headers: { 'retry-after': '5' },
    })
  }
  return new ApiError(
    500,
    'The server failed to answer this request.',
    'Try again; if it stays, report the x-request-id of this answer.',
  )
}

function originAway({ isUnsent }: OriginAway): ApiError {
  if (isUnsent)
    return new ApiError(
      503,
      'The origin is not there, or is not verified.',
      'Try again shortly; nothing was executed and nothing was charged.',
      retryAfter(5),
    )
  return new ApiError(
    503,
    'The origin did not answer.',
    'Look whether the request had its effect before you send it again, or send it under the same Idempotency-Key.',
    retryAfter(5),
  )
}

/** Permanent failures, which the operator has to resolve, get a longer `Retry-After`. */
function mailNotSent({ failure: { reason, retryAfterMs = 0 } }: MailNotSent): ApiError {
  const usual = reason === 'refused' || reason === 'redirected' ? 300 : 30
  const seconds = Math.min(Math.max(usual, Math.ceil(retryAfterMs / 1000)), 3600)
  return new ApiError(
    503,
    'The mail could not be sent.',
    'Send it again after the seconds in Retry-After. If it stays, check the address, and report the x-request-id of this answer.',
    { reason: 'mail_not_sent', ...retryAfter(seconds) },
  )
}

function triggerRefused(failure: TriggerFailure): ApiError {
  switch (failure.reason) {
    case 'field':
      return new ApiError(422, `${failure.field}: ${failure.problem}.`, failure.fix)
    case 'account_key':
      return new ApiError(
        422,
        'usage_api_key: this is an account key, which can do everything in its account.',
        'Make a key for this trigger: POST /core/v1/add_usage_api_key with the account key and {"name": "...", "execute_in_groups": [<a group that permits the action>]}. Send its usage_api_key.',
      )
    case 'too_many_triggers':
      return new ApiError(
        409,
        `This account has ${failure.max} triggers, and may have no more.`,
        'Delete those that are not used any more.',
        { reason: 'too_many_triggers' },
      )
    case 'chain_not_configured':
      return new ApiError(
        422,
        `config.chain: this deployment does not watch ${failure.chain}.`,
        failure.configured.length > 0
          ? `It watches ${failure.configured.join(', ')}; GET /api/chains shows how they are.`
          : 'Its operator can configure chains (CHAINS); it watches none.',
        { reason: 'chain_not_configured' },
      )
    case 'no_such_finality':
      return new ApiError(
        422,
        `options.finality: ${failure.chain} does not tell which block is ${failure.finality}.`,
        'Send a depth in blocks, or leave it out for the chain’s default.',
      )
  }
}

function retryAfter(seconds: number) {
  return { headers: { 'retry-after': String(seconds) } }
}

/**
 * The message of the runtime's own failures, for example if it cannot open an object's storage on a full disk. Errors
 * thrown by an object's code have their own messages.
 */
const RUNTIME_FAILED = /^internal error; reference = \w+$/

/**
 * Returns true for the runtime's error about an object that restarts, moves, is overloaded or cannot start. Senders
 * should retry.
 */
function isObjectAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (RUNTIME_FAILED.test(error.message)) return true
  return Reflect.get(error, 'retryable') === true || Reflect.get(error, 'overloaded') === true
}

/** SQLite's codes for a full or failing disk, in an object's storage and in D1. The transaction was rolled back. */
const DISK_FULL = /\bSQLITE_(FULL|IOERR)/

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return DISK_FULL.test(error.message) || isDiskFull(error.cause)
}

/**
 * D1's messages for a database that is overloaded, moves or does not respond. Errors in a statement are our own, and do
 * not match.
 */
const DATABASE_AWAY =
  /^D1_ERROR: .*(overloaded|connection lost|timed out|timeout|reset|unreachable|internal error)/i

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return DATABASE_AWAY.test(error.message) || isDatabaseAway(error.cause)
}
