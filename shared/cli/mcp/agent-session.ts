import { newAgentToken } from '../../client/agent-token.ts'
import { Unauthorized } from '../../client/failures/by-status.ts'
import type { Me } from '../../client/triggers/records.ts'
import type { TriggerOperations } from '../../client/triggers/triggers.ts'
import { ToolRejectedError } from '../../mcp/tool-failure.ts'
import { ENDED_REQUEST_CODES } from '../../wire/ended-request-codes.ts'
import type { AgentRequestBody } from '../../wire/agent.ts'

type SessionParts = {
  /** Returns the trigger operations of the deployment's stored token. Undefined if no token is stored. */
  storedTriggers(): Promise<TriggerOperations | undefined>
  withToken(token: string): Promise<TriggerOperations>
  storeToken(token: string): Promise<void>
  random(length: number): Uint8Array
}

type AuthorizationPrompt = {
  authorize_url: string
  user_code: string
  comparison_code: string
  expires_at: string
}

export class AgentSession {
  readonly #parts: SessionParts
  #triggers: TriggerOperations | undefined
  /** Authorization request of this session that is not yet known to be approved. */
  #pendingRequest: { token: string; triggers: TriggerOperations } | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** @throws {ToolRejectedError} `no_token` if no token is available */
  async triggers(): Promise<TriggerOperations> {
    this.#triggers ??= await this.#parts.storedTriggers()
    if (this.#triggers) return this.#triggers
    throw new ToolRejectedError('no_token', 'no approved token for the trigger service', NO_TOKEN)
  }

  /**
   * Requests a new token from a person. The token is generated locally and never appears in a tool result.
   * @throws {ToolRejectedError} `already_authorized` if the current token is valid. Otherwise, a prompt injection could
   * switch the session to another account.
   */
  async requestAuthorization(
    request: Omit<AgentRequestBody, 'challenge'>,
    signal: AbortSignal,
  ): Promise<AuthorizationPrompt> {
    if (await this.#currentUser(signal))
      throw new ToolRejectedError(
        'already_authorized',
        'the current token is valid',
        'Call whoami.',
      )
    const { token, challenge, comparisonCode } = newAgentToken((length) =>
      this.#parts.random(length),
    )
    const triggers = await this.#parts.withToken(token)
    const asked = await triggers.registerAgentRequest({ challenge, ...request }, { signal })
    this.#pendingRequest = { token, triggers }
    const { authorize_url, user_code, expires_at } = asked
    return { authorize_url, user_code, comparison_code: comparisonCode, expires_at }
  }

  /**
   * Returns the owner of the token. If a requested token has been approved, the session uses the new token from then
   * on.
   */
  async me(signal: AbortSignal): Promise<Me> {
    const now = await this.#currentUser(signal)
    if (now) return now
    if (!this.#pendingRequest) return (await this.triggers()).me({ signal })
    const { token, triggers } = this.#pendingRequest
    const me = await triggers.me({ signal }).catch((error: unknown) => {
      if (!(error instanceof Unauthorized)) throw error
      if (!ENDED.includes(error.code))
        throw new ToolRejectedError(
          'not_approved_yet',
          'the request has not been approved yet',
          NOT_YET,
        )
      this.#pendingRequest = undefined
      throw error
    })
    this.#triggers = triggers
    this.#pendingRequest = undefined
    await this.#parts.storeToken(token)
    return me
  }

  /** Undefined if no token is available or the token is rejected. */
  async #currentUser(signal: AbortSignal): Promise<Me | undefined> {
    this.#triggers ??= await this.#parts.storedTriggers()
    try {
      return await this.#triggers?.me({ signal })
    } catch (error) {
      if (error instanceof Unauthorized) return undefined
      throw error
    }
  }
}

const ENDED: readonly string[] = ENDED_REQUEST_CODES

const NO_TOKEN =
  'Call authorize, show your user the result, then call whoami. Alternatively, your user can run svc login on this machine.'
const NOT_YET =
  'Wait until your user says that they have entered the code and pressed Authorize, then call whoami again.'
