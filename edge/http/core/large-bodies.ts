import { ApiError } from '../../../shared/errors.ts'
import { BODY_WITHIN_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'

export type BodyShare = {
  /** @param bytes that the body takes from now on @throws {ApiError} 503 */
  grow(bytes: number): void
  end(): void
}

/**
 * The memory of one isolate for large bodies, all requests together. It has 128 MB for everything, webhooks among it,
 * and a body is there three times while it is sealed: who has no key at all could end it with two requests.
 */
export class LargeBodies {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #held = new Map<BodyShare, { bytes: number; until: number }>()

  constructor(now: () => number, maxBytes: number = CORE_BODY_MAX_BYTES) {
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** One body's share, to be ended with its request. */
  begin(): BodyShare {
    const share: BodyShare = {
      grow: (bytes) => {
        const others = this.#othersThan(share)
        // One alone always has room.
        if (others > 0 && others + bytes > this.#maxBytes) {
          // At once: bodies that grow side by side must not all refuse each other.
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
      // Of a client that goes away the platform may end the request without a word.
      if (held.until <= this.#now()) this.#held.delete(other)
      else if (other !== share) bytes += held.bytes
    }
    return bytes
  }
}

function noRoom(): ApiError {
  return new ApiError(
    503,
    'Other large bodies are under way here; nothing was executed.',
    'Send it again shortly, or send large sources to the origin itself: it has room for them.',
    { headers: { 'retry-after': '5' } },
  )
}
