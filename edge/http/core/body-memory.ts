import { ApiError } from '../../../shared/errors/api-error.ts'
import { BODY_TIMEOUT_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'

export type MemoryShare = {
  /**
   * Requests memory for a growing body.
   * @param bytes total size of the body's memory, including earlier requests
   * @throws {ApiError} 503 if other bodies use too much of the isolate's memory
   */
  grow(bytes: number): void
  close(): void
}

/**
 * Limits the memory that large request bodies may use. An isolate has 128 MB in total, shared with webhooks, and
 * sealing needs three copies of a body. Without this limit, two unauthenticated requests could exhaust the memory.
 */
export class BodyMemory {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #shares = new Map<MemoryShare, { bytes: number; until: number }>()

  constructor(now: () => number, maxBytes: number = CORE_BODY_MAX_BYTES) {
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** Call its `close` when the request is finished. */
  open(): MemoryShare {
    const share: MemoryShare = {
      grow: (bytes) => {
        const others = this.#bytesOfOthers(share)
        // If no other body uses memory, a body of any size is accepted.
        if (others > 0 && others + bytes > this.#maxBytes) {
          // Releases the memory immediately. Otherwise, several growing bodies could each occupy a part of the memory
          // until all of them are rejected.
          this.#shares.delete(share)
          throw memoryExhausted()
        }
        const until = this.#shares.get(share)?.until ?? this.#now() + BODY_TIMEOUT_MS
        this.#shares.set(share, { bytes, until })
      },
      close: () => void this.#shares.delete(share),
    }
    return share
  }

  #bytesOfOthers(share: MemoryShare): number {
    let bytes = 0
    for (const [other, held] of this.#shares) {
      // Shares expire, because the platform may stop a request without running its cleanup if the client disconnects.
      if (held.until <= this.#now()) this.#shares.delete(other)
      else if (other !== share) bytes += held.bytes
    }
    return bytes
  }
}

function memoryExhausted(): ApiError {
  return new ApiError(
    503,
    'Too many large bodies are in flight. Nothing was executed.',
    'Try again shortly, or send large sources to the origin directly.',
    { headers: { 'retry-after': '5' } },
  )
}
