/**
 * All reasons of structured errors, each with its meaning, the remedy, and advice on retries. `ApiError` accepts no
 * other reason. `docs/errors.md` is generated from this table (`npm run errors-page`), and `docs_url` links to the
 * reason's anchor there.
 */
import type { ErrorStatus } from './errors.ts'

export type ErrorExplanation = {
  statuses: readonly [ErrorStatus, ...ErrorStatus[]]
  from:
    | 'both services'
    | 'the core API'
    | 'the trigger service'
    | 'the pages of the trigger service'
  meaning: string
  fix: string
  /** Advice on sending the same request again. */
  again: string
}

const AFTER_RETRY = 'yes, after the seconds in `Retry-After`, with growing waits'
const UNCHANGED_NEVER = 'not unchanged'

export const ERROR_CODES = {
  bad_request: {
    statuses: [400],
    from: 'both services',
    meaning:
      'The body is not JSON, is nested too deeply, or a value has the wrong shape; or the request is not valid HTTP.',
    fix: 'Correct what `message` names. Build JSON with a library or `jq`, not by hand.',
    again: UNCHANGED_NEVER,
  },
  body_too_slow: {
    statuses: [400, 408],
    from: 'both services',
    meaning:
      'The body did not arrive in time, or stalled. The trigger service answers 400, the core API 408.',
    fix: 'Send it in one go. Large sources go faster to the origin itself.',
    again: 'yes',
  },
  request_not_fresh: {
    statuses: [400],
    from: 'the core API',
    meaning:
      'A sealed request is past its time, dated too far ahead, or valid for longer than a minute: a clock is wrong, or somebody sent an old request.',
    fix: 'Set the clock, and seal the request anew. `svc/client` does so by itself.',
    again: 'sealed anew; nothing was executed',
  },
  unauthorized: {
    statuses: [401],
    from: 'both services',
    meaning:
      'No credential was sent, or it is not good: an API key that resolves to no account or was revoked; a signature of a wallet that is the admin of no account; a token that nobody has approved, or that expired or was revoked.',
    fix: 'Send the key in `X-Api-Key` (core API), the token in `Authorization: Bearer` (trigger service), or have a new one made or approved.',
    again:
      'while you wait for the approval of a token, each second; otherwise with another credential',
  },
  request_refused: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'The person refused the request for this token.',
    fix: 'Stop, and ask your user. A new request needs a new token.',
    again: UNCHANGED_NEVER,
  },
  request_locked: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'The code of the request for this token was typed wrongly too often.',
    fix: 'Make a new token and a new request, and show the code again, exactly.',
    again: UNCHANGED_NEVER,
  },
  request_expired: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'Nobody decided in time on the request for this token.',
    fix: 'Make a new token and a new request when the person is there.',
    again: UNCHANGED_NEVER,
  },
  unknown_psk: {
    statuses: [401],
    from: 'the core API',
    meaning:
      'An edge sealed with another pre-shared key than the origin has: `CHANNEL_PSK` and `SVC_CHANNEL_PSK` differ.',
    fix: 'The operator gives both the same key.',
    again: UNCHANGED_NEVER,
  },
  payment_required: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The credit of the account does not cover this. `message` says what it costs and what is there.',
    fix: 'Add funds: `POST /core/v1/billing/create_payment_intent`, then `confirm_payment`.',
    again: 'once there is credit; nothing was executed. Runs of triggers wait for it by themselves',
  },
  out_of_credits: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The credit ended while the action ran, and the action was stopped. What it did until then stays done.',
    fix: 'Look what the action did, and add funds.',
    again: 'only if its effects may happen twice',
  },
  spend_cap_reached: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The usage key has spent what its cap allows in its window; or it got there while the action ran, which was stopped.',
    fix: 'Wait until some of it is forgotten, which `message` says, or let the account key raise the cap with `update_usage_api_key`.',
    again: 'once the cap allows it; if the action had begun, only if its effects may happen twice',
  },
  forbidden: {
    statuses: [403],
    from: 'both services',
    meaning:
      'The credential is good, and may not do this: no group permits the action for the key, a usage key asks for what needs the account key, or the account is ChainSecured and its admin wallet alone may write it. On pages: a form of another site.',
    fix: 'Have it permitted, as `fix` says. Do not look for a stronger key.',
    again: UNCHANGED_NEVER,
  },
  insufficient_scope: {
    statuses: [403],
    from: 'the trigger service',
    meaning: 'The token was approved for less than this.',
    fix: 'A token keeps its scopes: have a new one approved, with the scope that `message` names.',
    again: UNCHANGED_NEVER,
  },
  page_out_of_date: {
    statuses: [403],
    from: 'the pages of the trigger service',
    meaning: 'The page belongs to a session that has ended.',
    fix: 'Open the page again.',
    again: UNCHANGED_NEVER,
  },
  sign_in_again: {
    statuses: [403],
    from: 'the pages of the trigger service',
    meaning:
      'A passkey is added only shortly after a sign-in: a session that was stolen must not stay by one.',
    fix: 'Sign in again.',
    again: UNCHANGED_NEVER,
  },
  passkey_refused: {
    statuses: [403, 400],
    from: 'the pages of the trigger service',
    meaning:
      'The passkey did not sign you in (403), or could not be added (400). Why is not said: it would help who guesses.',
    fix: 'Try again, or have a link sent to your e-mail address.',
    again: 'from a page that was opened anew',
  },
  not_found: {
    statuses: [404],
    from: 'both services',
    meaning: 'There is no such thing or path, or it is somebody else’s: both are answered alike.',
    fix: 'List what there is, and look whose credential you sent.',
    again: UNCHANGED_NEVER,
  },
  method_not_allowed: {
    statuses: [405],
    from: 'both services',
    meaning: 'The path has other methods.',
    fix: 'Use one that the header `Allow` names.',
    again: UNCHANGED_NEVER,
  },
  request_timeout: {
    statuses: [408],
    from: 'the core API',
    meaning: 'The request did not arrive in the time that it has.',
    fix: 'Send it in one go. Large bodies need a fast connection.',
    again: 'yes',
  },
  conflict: {
    statuses: [409],
    from: 'both services',
    meaning: 'The request conflicts with something that exists.',
    fix: 'Use what exists, as `fix` says.',
    again: UNCHANGED_NEVER,
  },
  challenge_taken: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'A token with this challenge was registered or approved before.',
    fix: 'Make a new token, and register its challenge.',
    again: UNCHANGED_NEVER,
  },
  key_shown_before: {
    statuses: [409],
    from: 'the core API',
    meaning: 'A request under this `Idempotency-Key` made a key, and a key is shown once.',
    fix: 'Where that answer was lost, remove the key by the hash in `message`, and make another under a new `Idempotency-Key`.',
    again: UNCHANGED_NEVER,
  },
  outcome_unknown: {
    statuses: [409],
    from: 'the core API',
    meaning:
      'The server went away while it executed the request under this `Idempotency-Key`. It may have been executed, and is not executed again.',
    fix: 'Look whether it had its effect.',
    again: 'only under a new `Idempotency-Key`, and only if it had none',
  },
  passkey_registered: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'This passkey is registered already.',
    fix: 'Use another device.',
    again: UNCHANGED_NEVER,
  },
  payment_failed: {
    statuses: [409],
    from: 'the core API',
    meaning:
      'The payment was refused or canceled; `message` has the reason of the processor. Nothing was credited.',
    fix: 'Try again with the same `client_secret`, or begin another payment, as `fix` says.',
    again: UNCHANGED_NEVER,
  },
  payment_pending: {
    statuses: [409],
    from: 'the core API',
    meaning: 'The payment has not settled yet: it was not made, or is on its way.',
    fix: 'Confirm it with the processor’s client library. A transfer on a chain takes minutes.',
    again: AFTER_RETRY,
  },
  request_in_progress: {
    statuses: [409],
    from: 'the core API',
    meaning: 'A request under this `Idempotency-Key` is being executed.',
    fix: 'Repeat it a moment later, with the same key and body: it gets the answer of the first.',
    again: AFTER_RETRY,
  },
  request_replayed: {
    statuses: [409],
    from: 'the core API',
    meaning: 'This sealed request was taken before.',
    fix: 'Seal it anew, under another `request_id`.',
    again: 'sealed anew, if the first one had no effect',
  },
  run_not_queued: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'Only a run that has not started, or waits for its next attempt, can be cancelled.',
    fix: 'Wait for its end.',
    again: UNCHANGED_NEVER,
  },
  too_many_passkeys: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'The account has as many passkeys as it may have.',
    fix: 'Remove one that you do not use.',
    again: 'after that',
  },
  too_many_triggers: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'The account has as many triggers as it may have.',
    fix: 'Delete those that are not used any more.',
    again: 'after that',
  },
  trigger_disabled: {
    statuses: [409, 503],
    from: 'the trigger service',
    meaning:
      'The trigger is disabled: a test or replay is refused with 409, and a webhook’s sender hears 503.',
    fix: 'Its owner enables it: `PATCH {"enabled": true}`. `disabled_reason` says who disabled it.',
    again: 'once it is enabled',
  },
  payload_too_large: {
    statuses: [413],
    from: 'both services',
    meaning: 'The body, a source or the params are larger than what is taken.',
    fix: 'Send less, or a URL that the action fetches.',
    again: UNCHANGED_NEVER,
  },
  unsupported_media_type: {
    statuses: [415],
    from: 'both services',
    meaning: 'The body is said to be something else than JSON, as `curl -d` does by itself.',
    fix: 'Send `Content-Type: application/json`.',
    again: UNCHANGED_NEVER,
  },
  expectation_failed: {
    statuses: [417],
    from: 'the core API',
    meaning: 'The header `Expect` asks for something other than `100-continue`.',
    fix: 'Send no `Expect` header.',
    again: UNCHANGED_NEVER,
  },
  misdirected_request: {
    statuses: [421],
    from: 'the core API',
    meaning: 'The request was meant for another server.',
    fix: 'Ask the address that your documents name.',
    again: UNCHANGED_NEVER,
  },
  unknown_channel_key: {
    statuses: [421],
    from: 'the core API',
    meaning:
      'The request is sealed to a key that this origin has not: it was replaced, or the key is another origin’s.',
    fix: 'Read and verify `/evidences/channel-key.json` again, and seal to the key that it names.',
    again: 'sealed anew; nothing was executed',
  },
  unprocessable_entity: {
    statuses: [422],
    from: 'both services',
    meaning:
      'A field is missing, unknown or wrong, and `message` names it; or an `Idempotency-Key` was used for another body.',
    fix: 'Correct that field.',
    again: UNCHANGED_NEVER,
  },
  chain_not_configured: {
    statuses: [422],
    from: 'the trigger service',
    meaning: 'This deployment does not watch that chain.',
    fix: 'Take one of `GET /api/chains`; its operator can configure more (`CHAINS`).',
    again: UNCHANGED_NEVER,
  },
  too_many_requests: {
    statuses: [429],
    from: 'both services',
    meaning: 'Too many requests of this key, user or address; or the queue of the trigger is full.',
    fix: 'Send fewer. For a full queue look what holds it up (`waiting_for`), or raise `max_queued_runs` and `max_runs_per_minute`.',
    again: AFTER_RETRY,
  },
  failed_execution_allowance: {
    statuses: [429],
    from: 'the core API',
    meaning:
      'Runs that fail cost nothing, and those of this account, or of this action by this key, have used what such runs may take in an hour.',
    fix: 'Look why they fail. Runs that are paid for add to it.',
    again: AFTER_RETRY,
  },
  overloaded: {
    statuses: [429],
    from: 'the core API',
    meaning: 'This node has too much to do. Nothing was executed, and nothing was charged.',
    fix: 'Nothing but to wait.',
    again: AFTER_RETRY,
  },
  request_header_fields_too_large: {
    statuses: [431],
    from: 'the core API',
    meaning: 'The URL and the headers of the request are too large together.',
    fix: 'Send a shorter URL, and fewer or shorter headers. `GET /core/v1/limits` has every limit.',
    again: UNCHANGED_NEVER,
  },
  internal_error: {
    statuses: [500],
    from: 'both services',
    meaning: 'A fault of the server. What it was is in its log, and not told.',
    fix: 'If it stays, report the `x-request-id` of the answer.',
    again: 'once; a write under its `Idempotency-Key`',
  },
  service_unavailable: {
    statuses: [503],
    from: 'both services',
    meaning:
      'A part is away: the chain, the database, the runtime, the payment processor or an object of the edge; or the edge has not verified its origin. `message` says which, and whether something may have been done.',
    fix: '`GET /health` of the trigger service says what it verified.',
    again: AFTER_RETRY,
  },
  chain_unavailable: {
    statuses: [503],
    from: 'the trigger service',
    meaning:
      'The nodes of the chain do not answer, and a trigger begins at their head. Nothing was stored.',
    fix: 'Nothing but to wait.',
    again: AFTER_RETRY,
  },
  mail_not_sent: {
    statuses: [503],
    from: 'the pages of the trigger service',
    meaning: 'The mail with the sign-in link could not be sent.',
    fix: 'Check the address. If it stays, report the `x-request-id` of the answer.',
    again: AFTER_RETRY,
  },
  mailer_not_configured: {
    statuses: [503],
    from: 'the pages of the trigger service',
    meaning: 'Nobody can sign in: this deployment has no mailer.',
    fix: 'Its operator sets [`MAILER`](configuration.md#mailer). A local stack needs none.',
    again: 'once there is one',
  },
  preview_busy: {
    statuses: [503],
    from: 'the trigger service',
    meaning: 'Too many previews of this chain are under way.',
    fix: 'Nothing but to wait.',
    again: AFTER_RETRY,
  },
} as const satisfies Record<string, ErrorExplanation>

export type ErrorCode = keyof typeof ERROR_CODES
