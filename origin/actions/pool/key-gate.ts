import { randomBytes } from 'node:crypto'
import { KEY_OPERATIONS_MAX } from '../../../shared/limits.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_FORWARDED } from '../key-limit.ts'
import type { KeyResponse } from '../messages.ts'
import type { Capability, KeyOperation } from '../run.ts'

/** Limit for a refusal message passed into the sandbox: enough for one sentence and an ID. */
const MESSAGE_CHARACTERS = 1000

/**
 * Grants one run access to its keys while it is running. Requests with another token, and responses that are ready only
 * after the run has ended, are dropped.
 */
export class KeyGate {
  /** Unguessable, so that code that took over an executor cannot act for a run of another executor. */
  readonly token: string
  readonly #capability: Capability
  #requestCount = 0
  #open = true

  constructor(capability: Capability) {
    this.token = randomBytes(16).toString('base64url')
    this.#capability = capability
  }

  /** Returns undefined if the run has ended in the meantime. The operation is counted before any work is done. */
  async request(operation: KeyOperation): Promise<KeyResponse | undefined> {
    if (!this.#open) return undefined
    this.#requestCount++
    if (this.#requestCount > KEY_OPERATIONS_MAX) return KEY_LIMIT_REFUSAL
    const answer = await this.#answer(operation)
    return this.#open ? answer : undefined
  }

  /** True if more key operations have arrived than a genuine executor would pass on. */
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
