import { ENDED_REQUEST } from '../../ended-request.ts'
import { AGENT_TOKEN_MIN_CHARACTERS } from '../../limits.ts'
import { Unauthorized } from '../failures/by-status.ts'
import { NotSent } from '../failures/on-the-way.ts'
import { eitherSignal } from '../either-signal.ts'
import type { CallOptions } from '../options.ts'
import { ask, type TriggersParts } from './ask.ts'
import type { Me } from './records.ts'

// The interval respects the service's rate limit. The duration is the time within which a request can be approved
// (docs/decisions/0049).
const EVERY_MS = 1_000
const WITHIN_MS = 15 * 60 * 1_000

const TOKEN_SHAPE = new RegExp(`^[A-Za-z0-9._~-]{${AGENT_TOKEN_MIN_CHARACTERS},}$`)

/** The token can no longer be approved. */
const ENDS: ReadonlySet<string> = new Set(ENDED_REQUEST)

export type AuthorizedOptions = CallOptions & {
  /** From `newAgentToken()`. Default: the client's own token. */
  token?: string
}

/**
 * A 401 means that the token is not approved yet.
 * @returns the owner of the token
 * @throws {Unauthorized} after 15 minutes, or immediately with the code `request_refused`, `request_locked` or
 * `request_expired`
 */
export async function waitUntilAuthorized(
  parts: TriggersParts,
  { token = parts.token, ...options }: AuthorizedOptions = {},
): Promise<Me> {
  if (token !== undefined && !TOKEN_SHAPE.test(token))
    throw new NotSent(
      'bad_credential',
      `not a token: expected at least ${AGENT_TOKEN_MIN_CHARACTERS} URL-safe characters`,
      'Create one with newAgentToken().',
    )
  const question = { method: 'GET', path: '/api/me', repeat: 'idempotent' } as const
  for (const until = parts.now() + WITHIN_MS; ;) {
    try {
      return (await ask<Me>({ ...parts, token }, question, options)).body
    } catch (error) {
      if (!(error instanceof Unauthorized) || ENDS.has(error.code) || parts.now() >= until)
        throw error
    }
    await parts.sleep(EVERY_MS, eitherSignal(parts.signal, options.signal))
  }
}
