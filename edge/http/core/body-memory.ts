import { ApiError } from '../../../shared/errors/api-error.ts'
import { BODY_TIMEOUT_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'

export type MemoryShare = {
  /**
   * @param bytes total size, including memory that was already requested
   * @throws {ApiError} 503 if other bodies use too much of the isolate's memory
   */
  grow(bytes: number): void
  close(): void
}

/**
 * Limits the memory of large request bodies. An isolate has 128 MB in total, shared with webhooks, and sealing needs
 * three copies of a body, so two unauthenticated requests could exhaust the memory.
 */
export class BodyMemory {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #shares = new Map<MemoryShare, { bytes: number; until: number }>()

  constructor(now: () => number, maxBytes: number = CORE_BODY_MAX_BYTES) {
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** Call the share's `end` when the request is finished. */
  open(): MemoryShare {
    const share: MemoryShare = {
      grow: (bytes) => {
        const others = this.#bytesOfOthers(share)
        // A body is always accepted if it is the only one.
        if (others > 0 && others + bytes > this.#maxBytes) {
          // Releases the memory immediately. Otherwise, several growing bodies could each hold some, and all be
          // rejected.
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
      // Shares expire: if a client disconnects, the platform may stop the request without running its cleanup.
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
