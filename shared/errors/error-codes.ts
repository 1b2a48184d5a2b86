/**
 * All error codes. `ApiError` accepts no other reason. `npm run errors-page` generates `docs/errors.md` from these
 * codes, and `docs_url` links to the anchors of that page.
 */
import type { ErrorStatus } from './error-names.ts'

export type ErrorExplanation = {
  statuses: readonly [ErrorStatus, ...ErrorStatus[]]
  from:
    | 'both services'
    | 'the core API'
    | 'the trigger service'
    | 'the pages of the trigger service'
  meaning: string
  fix: string
  again: string
}

const AFTER_RETRY = 'yes, after the seconds in `Retry-After`, with exponential backoff'
const UNCHANGED_NEVER = 'not without changes'

export const ERROR_CODES = {
  bad_request: {
    statuses: [400],
    from: 'both services',
    meaning:
      'The request is not valid HTTP, the body is not JSON or is nested too deeply, or a value has the wrong shape.',
    fix: 'Correct the part that `message` names. Build JSON with a library or `jq`, not by hand.',
    again: UNCHANGED_NEVER,
  },
  body_too_slow: {
    statuses: [400, 408],
    from: 'both services',
    meaning:
      'The body did not arrive in time, or stalled. The trigger service returns 400, the core API 408.',
    fix: 'Send the body without pauses. Send large sources directly to the origin, which is faster.',
    again: 'yes',
  },
  request_not_fresh: {
    statuses: [400],
    from: 'the core API',
    meaning:
      'A sealed request has expired, is dated too far in the future, or is valid for longer than a minute. A clock is wrong, or an old request was replayed.',
    fix: 'Correct the clock, and seal the request again. `@svc-run/client` does this automatically.',
    again: 'yes, sealed again; nothing was executed',
  },
  unknown_chain: {
    statuses: [400],
    from: 'the core API',
    meaning:
      'The origin sends no transactions on that chain. `message` lists the chains that it knows.',
    fix: 'Send the name or the ID of one of these chains. The operator can configure more (`CHAINS`).',
    again: UNCHANGED_NEVER,
  },
  unauthorized: {
    statuses: [401],
    from: 'both services',
    meaning:
      'The credential is missing or invalid: an API key that is unknown or revoked, a signature of a wallet that is not the admin of any account, or a token that has not been approved, has expired or was revoked.',
    fix: 'Send the key in `X-Api-Key` (core API) or the token in `Authorization: Bearer` (trigger service), or get a new one created or approved.',
    again:
      'every second while you wait for the approval of a token; otherwise with another credential',
  },
  key_expired: {
    statuses: [401],
    from: 'the core API',
    meaning:
      'The usage key has expired: its owner set `expires_at`. `message` says when. Runs of triggers with the key fail; ten in a row over 15 minutes disable the trigger.',
    fix: 'Use another key, or have the owner move or remove `expires_at` with the account key and `update_usage_api_key`.',
    again: 'after the owner has changed the key',
  },
  request_refused: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'The user denied the request for this token.',
    fix: 'Stop and ask your user. A new request needs a new token.',
    again: UNCHANGED_NEVER,
  },
  request_locked: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'The code of the request for this token was entered wrong too many times.',
    fix: 'Generate a new token, make a new request, and show its code exactly.',
    again: UNCHANGED_NEVER,
  },
  request_expired: {
    statuses: [401],
    from: 'the trigger service',
    meaning: 'The request for this token expired without a decision.',
    fix: 'Generate a new token and make a new request when the user is available.',
    again: UNCHANGED_NEVER,
  },
  unknown_psk: {
    statuses: [401],
    from: 'the core API',
    meaning: 'The pre-shared keys of edge and origin, `CHANNEL_PSK` and `SVC_CHANNEL_PSK`, differ.',
    fix: 'The operator must set both to the same key.',
    again: UNCHANGED_NEVER,
  },
  payment_required: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The account does not have enough credits. `message` contains the cost and the balance.',
    fix: 'Add funds: `POST /core/v1/billing/create_payment_intent`, then `confirm_payment`.',
    again:
      'after adding funds; nothing was executed. Runs of triggers wait for credits automatically',
  },
  account_suspended: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The operator of the service suspended the account: it cannot run actions or write. Reads and payments still work.',
    fix: 'Contact the operator.',
    again:
      'after the operator has resumed the account; nothing was executed. Runs of triggers wait automatically',
  },
  out_of_credits: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The credits ran out while the action was running, and it was stopped. Its side effects until then remain.',
    fix: 'Check what the action did, and add funds.',
    again: 'only if its side effects may happen twice',
  },
  spend_cap_reached: {
    statuses: [402],
    from: 'the core API',
    meaning:
      'The usage key has reached its spending cap for the window. If it reached the cap during a run, the action was stopped.',
    fix: 'Wait until earlier spending leaves the window (`message` says when), or raise the cap with the account key and `update_usage_api_key`.',
    again:
      'when the cap allows it; if the action had started, only if its side effects may happen twice',
  },
  forbidden: {
    statuses: [403],
    from: 'both services',
    meaning:
      'The credential is valid but not allowed to do this: no group permits the action for the key, the operation requires the account key, or the account is ChainSecured and only its admin wallet can change it. On pages: the form was submitted from another site.',
    fix: 'Get the permission as described in `fix`. Do not look for a more powerful key.',
    again: UNCHANGED_NEVER,
  },
  insufficient_scope: {
    statuses: [403],
    from: 'the trigger service',
    meaning: 'The token does not have the scope for this operation.',
    fix: 'The scopes of a token cannot change. Get a new token approved with the scope that `message` names.',
    again: UNCHANGED_NEVER,
  },
  origin_not_allowed: {
    statuses: [403],
    from: 'the core API',
    meaning:
      'The usage key is restricted to web origins (`allowed_origins`), and the request comes from another one, or has no `Origin` header.',
    fix: 'Use the key in a web page of one of its origins. Servers and scripts need another key.',
    again: UNCHANGED_NEVER,
  },
  address_not_allowed: {
    statuses: [403],
    from: 'the core API',
    meaning:
      'The usage key is restricted to networks (`allowed_ips`), and the request comes from another address, which `message` names.',
    fix: 'Send the request from an allowed network, or have the owner change `allowed_ips`.',
    again: UNCHANGED_NEVER,
  },
  key_not_for_triggers: {
    statuses: [403],
    from: 'the core API',
    meaning:
      'The usage key of the trigger is restricted to web origins or networks. Whoever sees such a key could otherwise use it without the restriction, in a trigger.',
    fix: 'Create another key for the trigger. If the owner wants triggers to use this one: `"allow_triggers": true` with `update_usage_api_key`.',
    again: UNCHANGED_NEVER,
  },
  trigger_suspended: {
    statuses: [403],
    from: 'the trigger service',
    meaning:
      'The operator of the service suspended the trigger. Its owner cannot enable or disable it.',
    fix: 'Contact the operator.',
    again: 'after the operator has resumed the trigger',
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
      'A passkey can be added, and an account shared, only shortly after signing in, so that a stolen session cannot give permanent access.',
    fix: 'Sign in again.',
    again: UNCHANGED_NEVER,
  },
  passkey_refused: {
    statuses: [403, 400],
    from: 'the pages of the trigger service',
    meaning:
      'The passkey could not be used to sign in (403), or could not be added (400). The reason is not disclosed, because it would help attackers.',
    fix: 'Try again, or request a sign-in link by e-mail.',
    again: 'after reloading the page',
  },
  not_found: {
    statuses: [404],
    from: 'both services',
    meaning:
      'The resource or path does not exist, or belongs to someone else. Both cases get the same response.',
    fix: 'List the existing resources, and check which account your credential belongs to.',
    again: UNCHANGED_NEVER,
  },
  method_not_allowed: {
    statuses: [405],
    from: 'both services',
    meaning: 'The path does not support this method.',
    fix: 'Use a method in the `Allow` header.',
    again: UNCHANGED_NEVER,
  },
  request_timeout: {
    statuses: [408],
    from: 'the core API',
    meaning: 'The request did not arrive in time.',
    fix: 'Send it without pauses. Large bodies need a fast connection.',
    again: 'yes',
  },
  conflict: {
    statuses: [409],
    from: 'both services',
    meaning: 'The request conflicts with an existing resource.',
    fix: 'Use the existing resource, as described in `fix`.',
    again: UNCHANGED_NEVER,
  },
  challenge_taken: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'A token with this challenge has already been registered or approved.',
    fix: 'Generate a new token, and register its challenge.',
    again: UNCHANGED_NEVER,
  },
  idempotency_key_reused: {
    statuses: [409],
    from: 'the core API',
    meaning:
      'The `Idempotency-Key` identifies another transaction, whose ID is in `message`. Nothing was sent for this request.',
    fix: 'Send exactly the first request to get that transaction, or a new `Idempotency-Key` to send another one.',
    again: UNCHANGED_NEVER,
  },
  key_shown_before: {
    statuses: [409],
    from: 'the core API',
    meaning: 'A request with this `Idempotency-Key` created a key, and a key is shown only once.',
    fix: 'If that response was lost, remove the key by the hash in `message`, and create another one with a new `Idempotency-Key`.',
    again: UNCHANGED_NEVER,
  },
  outcome_unknown: {
    statuses: [409],
    from: 'the core API',
    meaning:
      'The server went down while it executed the request with this `Idempotency-Key`. The request may have taken effect and will not be executed again.',
    fix: 'Check whether it took effect.',
    again: 'only with a new `Idempotency-Key`, and only if it had no effect',
  },
  passkey_registered: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'This passkey is already registered.',
    fix: 'Use another device.',
    again: UNCHANGED_NEVER,
  },
  payment_failed: {
    statuses: [409],
    from: 'the core API',
    meaning:
      'The payment was declined or canceled; `message` contains the processor’s reason. Nothing was credited.',
    fix: 'Try again with the same `client_secret`, or start another payment, as described in `fix`.',
    again: UNCHANGED_NEVER,
  },
  payment_pending: {
    statuses: [409],
    from: 'the core API',
    meaning: 'The payment has not settled yet: it is incomplete or still being processed.',
    fix: 'Confirm it with the processor’s client library. A transfer on a chain takes minutes.',
    again: AFTER_RETRY,
  },
  request_in_progress: {
    statuses: [409],
    from: 'the core API',
    meaning: 'A request with this `Idempotency-Key` is in progress.',
    fix: 'Repeat it a moment later with the same key and body to get the response of the first one.',
    again: AFTER_RETRY,
  },
  request_replayed: {
    statuses: [409],
    from: 'the core API',
    meaning: 'This sealed request was already received.',
    fix: 'Seal it again with a new `request_id`.',
    again: 'sealed again, if the first one had no effect',
  },
  replay_ended: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'Only a bulk replay that is running can be cancelled.',
    fix: 'Do nothing. Runs that it has queued can be cancelled one by one.',
    again: UNCHANGED_NEVER,
  },
  run_not_queued: {
    statuses: [409],
    from: 'the trigger service',
    meaning:
      'Only a run that has not started, or is waiting for its next attempt, can be cancelled.',
    fix: 'Wait for the run to end.',
    again: UNCHANGED_NEVER,
  },
  nothing_to_replay: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'No failed run matches the selection, or all that match were already replayed.',
    fix: 'Send `include_replayed: true` to replay them again.',
    again: 'after that',
  },
  account_key_required: {
    statuses: [403],
    from: 'the pages of the trigger service',
    meaning: 'A linked account cannot be used for this operation, which requires the account key.',
    fix: 'Send the request to the core API with the account key.',
    again: UNCHANGED_NEVER,
  },
  share_scope: {
    statuses: [403],
    from: 'the pages of the trigger service',
    meaning: 'Your access to this account does not include this operation.',
    fix: 'Ask the person who shared the account for another scope.',
    again: 'after the scope has changed',
  },
  too_many_linked_accounts: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'You have linked the maximum number of accounts.',
    fix: 'Unlink an account that you no longer use.',
    again: 'after that',
  },
  too_many_shares: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'The account is shared with the maximum number of people.',
    fix: 'Remove a person who no longer needs it.',
    again: 'after that',
  },
  action_library_full: {
    statuses: [409],
    from: 'the trigger service',
    meaning:
      'The library has the maximum number of actions or bytes, or the action has the maximum number of versions.',
    fix: 'Delete actions or versions that you no longer use.',
    again: 'after that',
  },
  too_many_passkeys: {
    statuses: [409],
    from: 'the pages of the trigger service',
    meaning: 'The account has reached the maximum number of passkeys.',
    fix: 'Remove a passkey that you no longer use.',
    again: 'after that',
  },
  too_many_replays: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'The maximum number of bulk replays is running.',
    fix: 'Wait until one of them has finished, or cancel one.',
    again: 'after that',
  },
  too_many_runs: {
    statuses: [422],
    from: 'the trigger service',
    meaning: 'More runs match than one bulk replay can have.',
    fix: 'Narrow the selection with `since`, `until` or `trigger_id`.',
    again: 'after that',
  },
  channel_unavailable: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'This deployment cannot send alerts over the channel.',
    fix: '`GET /api/alerts/settings` lists the channels that are available.',
    again: 'after that',
  },
  too_many_channels: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'The account has reached the maximum number of alert channels.',
    fix: 'Delete channels that you no longer use.',
    again: 'after that',
  },
  too_many_triggers: {
    statuses: [409],
    from: 'the trigger service',
    meaning: 'The account has reached the maximum number of triggers.',
    fix: 'Delete triggers that you no longer use.',
    again: 'after that',
  },
  trigger_disabled: {
    statuses: [409, 503],
    from: 'the trigger service',
    meaning: 'The trigger is disabled. Tests and replays get 409, webhook senders get 503.',
    fix: 'Enable it as its owner: `PATCH {"enabled": true}`. `disabled_reason` says why it was disabled.',
    again: 'after it was enabled',
  },
  payload_too_large: {
    statuses: [413],
    from: 'both services',
    meaning: 'The body, the source or the params exceed the limit.',
    fix: 'Send less data, or a URL for the action to fetch.',
    again: UNCHANGED_NEVER,
  },
  unsupported_media_type: {
    statuses: [415],
    from: 'both services',
    meaning: 'The content type is not JSON. `curl -d` sends a different one by default.',
    fix: 'Send `Content-Type: application/json`.',
    again: UNCHANGED_NEVER,
  },
  expectation_failed: {
    statuses: [417],
    from: 'the core API',
    meaning: 'The `Expect` header has a value other than `100-continue`.',
    fix: 'Send no `Expect` header.',
    again: UNCHANGED_NEVER,
  },
  misdirected_request: {
    statuses: [421],
    from: 'the core API',
    meaning: 'The request was intended for another server.',
    fix: 'Use the address in your documentation.',
    again: UNCHANGED_NEVER,
  },
  unknown_channel_key: {
    statuses: [421],
    from: 'the core API',
    meaning:
      'The request is sealed to a key that this origin does not have: the key was replaced, or belongs to another origin.',
    fix: 'Fetch and verify `/evidences/channel-key.json` again, and seal to its key.',
    again: 'yes, sealed again; nothing was executed',
  },
  unprocessable_entity: {
    statuses: [422],
    from: 'both services',
    meaning:
      'A field is missing, unknown or invalid (`message` names it), or the `Idempotency-Key` was used with a different body.',
    fix: 'Correct the field.',
    again: UNCHANGED_NEVER,
  },
  source_does_not_compile: {
    statuses: [422],
    from: 'the trigger service',
    meaning:
      'The source of the action has a syntax error. `line` and `column` in the body of the response say where; both start at 1.',
    fix: 'Correct the source. `svc test` and the editor in the console find such errors too.',
    again: UNCHANGED_NEVER,
  },
  chain_not_configured: {
    statuses: [422],
    from: 'the trigger service',
    meaning: 'This deployment does not watch that chain.',
    fix: 'Use a chain from `GET /api/chains`. The operator can configure more (`CHAINS`).',
    again: UNCHANGED_NEVER,
  },
  too_many_requests: {
    statuses: [429],
    from: 'both services',
    meaning:
      'Too many requests from this key, user or address, or the queue of the trigger is full.',
    fix: 'Send fewer requests. If the queue is full, check what the runs are waiting for (`waiting_for`), or raise `max_queued_runs` and `max_runs_per_minute`.',
    again: AFTER_RETRY,
  },
  key_rate_reached: {
    statuses: [429],
    from: 'the core API',
    meaning:
      'The usage key has made as many requests in this minute as its owner allows (`max_requests_per_minute`). Nothing was executed.',
    fix: 'Wait until the next minute, or have the owner raise the limit.',
    again: 'yes, after the seconds in `Retry-After`. Runs of triggers wait automatically',
  },
  key_concurrency_reached: {
    statuses: [429],
    from: 'the core API',
    meaning:
      'As many runs of the usage key are in flight as its owner allows (`max_concurrent`). Nothing was executed.',
    fix: 'Wait until one of the runs has ended, or have the owner raise the limit.',
    again: 'yes, after the seconds in `Retry-After`. Runs of triggers wait automatically',
  },
  failed_execution_allowance: {
    statuses: [429],
    from: 'the core API',
    meaning:
      'Failed runs are free of charge up to an hourly allowance, which is exhausted for this account, or for this action and key.',
    fix: 'Find out why the runs fail. Paid runs increase the allowance.',
    again: AFTER_RETRY,
  },
  overloaded: {
    statuses: [429],
    from: 'the core API',
    meaning: 'The node is overloaded. Nothing was executed, and nothing was charged.',
    fix: 'Wait and try again.',
    again: AFTER_RETRY,
  },
  request_header_fields_too_large: {
    statuses: [431],
    from: 'the core API',
    meaning: 'The URL and the headers of the request are too large in total.',
    fix: 'Send a shorter URL, or fewer or shorter headers. `GET /core/v1/limits` lists all limits.',
    again: UNCHANGED_NEVER,
  },
  internal_error: {
    statuses: [500],
    from: 'both services',
    meaning: 'An internal error of the server. The details are only in its log.',
    fix: 'If the error persists, report the `x-request-id` of the response.',
    again: 'once; writes with their `Idempotency-Key`',
  },
  service_unavailable: {
    statuses: [503],
    from: 'both services',
    meaning:
      'A component is unavailable: the chain, the database, the runtime, the payment processor or an object of the edge; or the edge has not verified its origin. `message` names it, and says whether the request may have taken effect.',
    fix: 'Wait and try again. `GET /health` of the trigger service shows what it has verified.',
    again: AFTER_RETRY,
  },
  chain_unavailable: {
    statuses: [503],
    from: 'the trigger service',
    meaning:
      'The nodes of the chain do not respond, and a trigger needs the current head to start from. Nothing was stored.',
    fix: 'Wait and try again.',
    again: AFTER_RETRY,
  },
  draining: {
    statuses: [503],
    from: 'the core API',
    meaning:
      'The process that received the request is about to stop, for example for an upgrade, and accepts no new work. Nothing was executed, and nothing was charged.',
    fix: 'Send the request again, over a new connection. Another process, or the restarted one, executes it.',
    again: AFTER_RETRY,
  },
  mail_not_sent: {
    statuses: [503],
    from: 'the pages of the trigger service',
    meaning: 'The e-mail with the sign-in link could not be sent.',
    fix: 'Check the address. If the error persists, report the `x-request-id` of the response.',
    again: AFTER_RETRY,
  },
  mailer_not_configured: {
    statuses: [503],
    from: 'the pages of the trigger service',
    meaning: 'Sign-in is not available, because this deployment has no mailer.',
    fix: 'The operator must set [`MAILER`](configuration.md#mailer). A local stack does not need it.',
    again: 'after a mailer was configured',
  },
  not_configured: {
    statuses: [503],
    from: 'the trigger service',
    meaning: 'Settings of this deployment are missing or malformed, so it serves no request.',
    fix: 'The operator must correct the settings that `GET /health` names. `npm run preflight -- edge` finds them before a deployment.',
    again: 'after the operator corrected the settings',
  },
  preview_busy: {
    statuses: [503],
    from: 'the trigger service',
    meaning: 'Too many previews of this chain are in flight.',
    fix: 'Wait and try again.',
    again: AFTER_RETRY,
  },
} as const satisfies Record<string, ErrorExplanation>

export type ErrorCode = keyof typeof ERROR_CODES
