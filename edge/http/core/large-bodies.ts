import { ApiError } from '../../../shared/errors.ts'
import { BODY_WITHIN_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'

export type BodyShare = {
  /**
   * @param bytes total size, including memory that was already requested
   * @throws {ApiError} 503 if other bodies use too much of the isolate's memory
   */
  grow(bytes: number): void
  end(): void
}

/**
 * Limits the memory of large request bodies. An isolate has 128 MB in total, shared with webhooks, and sealing needs
 * three copies of a body, so two unauthenticated requests could exhaust the memory.
 */
export class LargeBodies {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #held = new Map<BodyShare, { bytes: number; until: number }>()

  constructor(now: () => number, maxBytes: number = CORE_BODY_MAX_BYTES) {
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** Call the share's `end` when the request is finished. */
  begin(): BodyShare {
    const share: BodyShare = {
      grow: (bytes) => {
        const others = this.#othersThan(share)
        // A body is always accepted if it is the only one.
        if (others > 0 && others + bytes > this.#maxBytes) {
          // Releases the memory immediately. Otherwise, several growing bodies could each hold some, and all be
          // rejected.
          this.#held.delete(share)
          throw noRoom()
        }
        const until = this.#held.get(share)?.until ?? this.#now() + BODY_WITHIN_MS
        this.#held.set(share, { bytes, until })
      },
      end: () => void this.#held.delete(share),
    }
    return share
  }

  #othersThan(share: BodyShare): number {
    let bytes = 0
    for (const [other, held] of this.#held) {
      // Shares expire: if a client disconnects, the platform may stop the request without running its cleanup.
      if (held.until <= this.#now()) this.#held.delete(other)
      else if (other !== share) bytes += held.bytes
    }
    return bytes
  }
}

function noRoom(): ApiError {
  return new ApiError(
    503,
    'Too many large bodies are in flight. Nothing was executed.',
    'Try again shortly, or send large sources to the origin directly.',
    { headers: { 'retry-after': '5' } },
  )
}
