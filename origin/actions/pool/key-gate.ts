import { randomBytes } from 'node:crypto'
import { KEY_OPERATIONS_MAX } from '../../../shared/limits.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_FORWARDED } from '../key-limit.ts'
import type { KeyResponse } from '../messages.ts'
import type { Capability, KeyOperation } from '../run.ts'

/** Maximum length of a refusal message passed into the sandbox: enough for one sentence and an ID. */
const MESSAGE_CHARACTERS = 1000

/**
 * Grants one run access to its keys while it is running. Drops requests with another token, and responses that are
 * ready only after the run has ended.
 */
export class KeyGate {
  /**
   * Token of the run. It is unguessable, so that an attacker who has taken over one executor cannot act for a run of
   * another.
   */
  readonly token: string
  readonly #capability: Capability
  #requestCount = 0
  #open = true

  constructor(capability: Capability) {
    this.token = randomBytes(16).toString('base64url')
    this.#capability = capability
  }

  /**
   * Performs a key operation. Returns undefined if the run has ended in the meantime. Counts the operation before doing
   * any work.
   */
  async request(operation: KeyOperation): Promise<KeyResponse | undefined> {
    if (!this.#open) return undefined
    this.#requestCount++
    if (this.#requestCount > KEY_OPERATIONS_MAX) return KEY_LIMIT_REFUSAL
    const answer = await this.#answer(operation)
    return this.#open ? answer : undefined
  }

  /** True if the executor has passed on more key operations than a genuine executor would. */
  isFlooded(): boolean {
    return this.#requestCount > KEY_OPERATIONS_FORWARDED
  }

  close(): void {
    this.#open = false
  }

  async #answer(operation: KeyOperation): Promise<KeyResponse> {
    try {
      return { ok: true, value: await this.#capability.keyOperation(operation) }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'the key operation failed'
      return { ok: false, message: message.slice(0, MESSAGE_CHARACTERS) }
    }
  }
}
