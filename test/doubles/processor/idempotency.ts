/** Idempotency keys of the processor: a key returns its first response, whatever that was. */
import { ProcessorApiError } from './api-error.ts'

export type Answered = { status: number; body: string; replayed?: true }

export type Executed = { answer: Answered; keep?: Answered }

type Kept = { request: string; answer: Answered | undefined }

export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>()

  /**
   * Executes a request at most once per key.
   * @param request method, path and parameters
   * @param execute `keep` in its result is returned to retries; without it, a retry is executed
   * @throws {ProcessorApiError} 400 for a different request under the key, 409 while the first is in flight
   */
  async once(
    key: string | undefined,
    request: string,
    execute: () => Promise<Executed>,
  ): Promise<Answered> {
    if (key === undefined) return (await execute()).answer
    const known = this.#kept.get(key)
    if (known) return replay(known, key, request)
    const mine: Kept = { request, answer: undefined }
    this.#kept.set(key, mine)
    try {
      const { answer, keep } = await execute()
      if (keep) mine.answer = keep
      else this.#kept.delete(key)
      return answer
    } catch (error) {
      this.#kept.delete(key)
      throw error
    }
  }

  /** Simulates the expiry of all keys after a day. */
  forget(): void {
    this.#kept.clear()
  }
}

function replay(known: Kept, key: string, request: string): Answered {
  const type = 'idempotency_error'
  if (known.request !== request) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
    throw new ProcessorApiError(400, message, { type })
  }
  if (known.answer === undefined) {
    const message = `There is currently another in-progress request using this Idempotent Key: ${key}.`
    throw new ProcessorApiError(409, message, { type, code: 'idempotency_key_in_use' })
  }
  return { ...known.answer, replayed: true }
}
