/**
 * The server's identity at the trigger service: a stored token, or a new token that a person approves during the
 * session.
 */
import { newAgentToken } from '../../client/agent-token.ts'
import { Unauthorized } from '../../client/failures/by-status.ts'
import type { Me } from '../../client/triggers/records.ts'
import type { TriggerOperations } from '../../client/triggers/triggers.ts'
import { ToolRefused } from './tool-failure.ts'
import { ENDED_REQUEST } from '../../ended-request.ts'
import type { AgentRequestBody } from '../../wire/agent.ts'

export type SessionParts = {
  /** Operations with the stored token of the deployment; undefined if there is none. */
  kept(): Promise<TriggerOperations | undefined>
  /** Operations with the given token. */
  withToken(token: string): Promise<TriggerOperations>
  /** Stores a token for later sessions. */
  keep(token: string): Promise<void>
  random(length: number): Uint8Array
}

export type Asked = {
  authorize_url: string
  user_code: string
  comparison_code: string
  expires_at: string
}

export class AgentSession {
  readonly #parts: SessionParts
  #triggers: TriggerOperations | undefined
  /** A request made in this session and not yet known to be approved. */
  #asked: { token: string; triggers: TriggerOperations } | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** @throws {ToolRefused} `no_token` */
  async triggers(): Promise<TriggerOperations> {
    this.#triggers ??= await this.#parts.kept()
    if (this.#triggers) return this.#triggers
    throw new ToolRefused(
      'no_token',
      'there is no approved token for the trigger service',
      NO_TOKEN,
    )
  }

  /**
   * Requests a token. It is generated here and never appears in a tool result.
   * @throws {ToolRefused} `already_authorized`: otherwise a prompt injection could switch to another account
   */
  async ask(request: Omit<AgentRequestBody, 'challenge'>, signal: AbortSignal): Promise<Asked> {
    if (await this.#whoNow(signal))
      throw new ToolRefused('already_authorized', 'the token that is there is good', 'Call whoami.')
    const { token, challenge, comparisonCode } = newAgentToken((length) =>
      this.#parts.random(length),
    )
    const triggers = await this.#parts.withToken(token)
    const asked = await triggers.registerAgentRequest({ challenge, ...request }, { signal })
    this.#asked = { token, triggers }
    const { authorize_url, user_code, expires_at } = asked
    return { authorize_url, user_code, comparison_code: comparisonCode, expires_at }
  }

  /** Returns the current user. If a requested token has been approved, it becomes the session's token. */
  async me(signal: AbortSignal): Promise<Me> {
    const now = await this.#whoNow(signal)
    if (now) return now
    if (!this.#asked) return (await this.triggers()).me({ signal })
    const { token, triggers } = this.#asked
    const me = await triggers.me({ signal }).catch((error: unknown) => {
      if (!(error instanceof Unauthorized)) throw error
      if (!ENDED.includes(error.code))
        throw new ToolRefused('not_approved_yet', 'nobody has approved the request yet', NOT_YET)
      this.#asked = undefined
      throw error
    })
    this.#triggers = triggers
    this.#asked = undefined
    await this.#parts.keep(token)
    return me
  }

  /** Returns the user of the current token; undefined if there is no token or it is rejected. */
  async #whoNow(signal: AbortSignal): Promise<Me | undefined> {
    this.#triggers ??= await this.#parts.kept()
    try {
      return await this.#triggers?.me({ signal })
    } catch (error) {
      if (error instanceof Unauthorized) return undefined
      throw error
    }
  }
}

const ENDED: readonly string[] = ENDED_REQUEST

const NO_TOKEN =
  'Call authorize and show your user what it answers, then whoami. Or your user runs svc login on this machine.'
const NOT_YET =
  'Wait until your user says that he has typed the code and pressed Authorize, then call whoami again.'
