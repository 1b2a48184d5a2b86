import { MINUTE_MS } from '../../durations.ts'
import { ENDED_REQUEST_CODES } from '../../wire/ended-request-codes.ts'
import { AGENT_TOKEN_MIN_CHARACTERS } from '../../limits.ts'
import { Unauthorized } from '../failures/by-status.ts'
import { NotSent } from '../failures/transport-errors.ts'
import { anySignal } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import { triggerBody, type TriggersParts } from './send-request.ts'
import type { Me } from './records.ts'
import type { AgentRequestResponse, AgentRequestBody } from '../../wire/agent.ts'

// The polling interval respects the service's rate limit. The timeout is the time within which a request can be
// approved (docs/decisions/0049).
const EVERY_MS = 1_000
const APPROVAL_TIMEOUT_MS = 15 * MINUTE_MS

const TOKEN_SHAPE = new RegExp(`^[A-Za-z0-9._~-]{${AGENT_TOKEN_MIN_CHARACTERS},}$`)

/** Error codes that mean that the token can no longer be approved. */
const FINAL_CODES: ReadonlySet<string> = new Set(ENDED_REQUEST_CODES)

export type WaitUntilAuthorizedOptions = CallOptions & {
  /** Token from `newAgentToken()`. Default: the client's own token. */
  token?: string
}

/**
 * Waits until a person approves the token. The service answers 401 until then.
 * @returns the owner of the token
 * @throws {Unauthorized} after 15 minutes, or immediately with the code `request_refused`, `request_locked` or
 * `request_expired`
 */
export async function waitUntilAuthorized(
  parts: TriggersParts,
  { token = parts.token, ...options }: WaitUntilAuthorizedOptions = {},
): Promise<Me> {
  if (token !== undefined && !TOKEN_SHAPE.test(token))
    throw new NotSent(
      'bad_credential',
      `not a token: expected at least ${AGENT_TOKEN_MIN_CHARACTERS} URL-safe characters`,
      'Create one with newAgentToken().',
    )
  const request = { method: 'GET', path: '/api/me', repeat: 'idempotent' } as const
  for (const until = parts.now() + APPROVAL_TIMEOUT_MS; ;) {
    try {
      return await triggerBody<Me>({ ...parts, token }, request, options)
    } catch (error) {
      if (!(error instanceof Unauthorized) || FINAL_CODES.has(error.code) || parts.now() >= until)
        throw error
    }
    await parts.sleep(EVERY_MS, anySignal(parts.signal, options.signal))
  }
}

export type AgentRequestFields = AgentRequestBody
export type AgentRequest = AgentRequestResponse

/**
 * Registers a token before its approval. The approval page shows the label, and the person must type `user_code`. The
 * call is not retried: if the response is lost, the code is lost too, and a new token is needed. The token itself is
 * never sent, even if the given fields include it.
 * @throws {Conflict} `challenge_taken`
 */
export async function registerAgentRequest(
  { requester }: Pick<TriggersParts, 'requester'>,
  { challenge, label, scopes }: AgentRequestFields,
  options?: CallOptions,
): Promise<AgentRequest> {
  const json = { challenge, label, ...(scopes && { scopes }) }
  const path = '/agent/requests'
  const request = { method: 'POST', path, json, repeat: 'never', options } as const
  return (await requester.edge<AgentRequest>(request)).body
}
