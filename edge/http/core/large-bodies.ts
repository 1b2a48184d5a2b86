import { ApiError } from '../../../shared/errors.ts'
import { BODY_WITHIN_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'

export type BodyShare = {
  /**
   * @param bytes total size that the body needs from now on
   * @throws {ApiError} 503 if the isolate has no room
   */
  grow(bytes: number): void
  end(): void
}

/**
 * Bounds the memory that large bodies use in one isolate. An isolate has 128 MB for everything, webhooks included, and
 * sealing holds three copies of a body: without a bound, two requests without a key could exhaust it.
 */
export class LargeBodies {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #held = new Map<BodyShare, { bytes: number; until: number }>()

  constructor(now: () => number, maxBytes: number = CORE_BODY_MAX_BYTES) {
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** Starts one body's share. Call `end` when its request is finished. */
  begin(): BodyShare {
    const share: BodyShare = {
      grow: (bytes) => {
        const others = this.#othersThan(share)
        // A single body always fits.
        if (others > 0 && others + bytes > this.#maxBytes) {
          // Released immediately, so that concurrently growing bodies do not all reject each other.
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
      // If a client disconnects, the platform may stop the request without running its cleanup.
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
