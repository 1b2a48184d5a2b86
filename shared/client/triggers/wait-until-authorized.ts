import { ENDED_REQUEST } from '../../ended-request.ts'
import { AGENT_TOKEN_MIN_CHARACTERS } from '../../limits.ts'
import { Unauthorized } from '../failures/by-status.ts'
import { NotSent } from '../failures/on-the-way.ts'
import { eitherSignal } from '../either-signal.ts'
import type { CallOptions } from '../options.ts'
import { ask, type TriggersParts } from './ask.ts'
import type { Me } from './records.ts'

/** As often and as long as the service is asked without being told that this is too much (`decisions.md`, Authorize). */
const EVERY_MS = 1_000
const WITHIN_MS = 15 * 60 * 1_000

const TOKEN_SHAPE = new RegExp(`^[A-Za-z0-9._~-]{${AGENT_TOKEN_MIN_CHARACTERS},}$`)

/** Nobody can approve this token any more. */
const ENDS: ReadonlySet<string> = new Set(ENDED_REQUEST)

export type AuthorizedOptions = CallOptions & {
  /** Of `newAgentToken()`; the client's own by default. */
  token?: string
}

/**
 * Waits until a person has approved the token: a refusal of it is "not yet". Any other failure is thrown.
 * @returns whose triggers the token is good for
 * @throws {Unauthorized} after 15 minutes; at once with the code `request_refused`, `request_locked` or `request_expired`
 */
export async function waitUntilAuthorized(
  parts: TriggersParts,
  { token = parts.token, ...options }: AuthorizedOptions = {},
): Promise<Me> {
  if (token !== undefined && !TOKEN_SHAPE.test(token))
    throw new NotSent(
      'bad_credential',
      `this can not be a token: one has at least ${AGENT_TOKEN_MIN_CHARACTERS} URL-safe characters`,
      'Make one with newAgentToken().',
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
