import { randomBytes } from 'node:crypto'
import { KEY_OPERATIONS_MAX } from '../../../shared/limits.ts'
import { KEY_LIMIT_REFUSAL, KEY_OPERATIONS_PASSED_ON } from '../key-limit.ts'
import type { KeyAnswer } from '../messages.ts'
import type { Capability, KeyOperation } from '../run.ts'

/** Longest text of a refusal that goes into the sandbox: enough for one sentence and an id. */
const MESSAGE_CHARACTERS = 1000

/**
 * One run's way to its keys. It opens with the run and shuts with it: what is asked under another token,
 * or answered after the end, is dropped.
 */
export class KeyGate {
  /** Unguessable, so that code which took over an executor cannot speak for a run it was never given. */
  readonly token: string
  readonly #capability: Capability
  #asked = 0
  #open = true

  constructor(capability: Capability) {
    this.token = randomBytes(16).toString('base64url')
    this.#capability = capability
  }

  /** The answer to one operation, or `undefined` when the run is over by then. Counts before any work. */
  async ask(operation: KeyOperation): Promise<KeyAnswer | undefined> {
    if (!this.#open) return undefined
    this.#asked++
    if (this.#asked > KEY_OPERATIONS_MAX) return KEY_LIMIT_REFUSAL
    const answer = await this.#answer(operation)
    return this.#open ? answer : undefined
  }

  /** True when more was asked than an executor of ours passes on. */
  isFlooded(): boolean {
    return this.#asked > KEY_OPERATIONS_PASSED_ON
  }

  shut(): void {
    this.#open = false
  }

  async #answer(operation: KeyOperation): Promise<KeyAnswer> {
    try {
      return { ok: true, value: await this.#capability.keyOperation(operation) }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'the key operation failed'
      return { ok: false, message: message.slice(0, MESSAGE_CHARACTERS) }
    }
  }
}
