import type { RejectionReason } from '../../shared/wire/webhook-source.ts'

/** Times are in Unix milliseconds. `since` is the time at which the source or its secret was set. */
export type StoredRejections = {
  since: number
  count: number
  lastReason: RejectionReason | null
  lastAt: number | null
}

/**
 * Minimum time between two writes. Anyone can send webhooks with wrong signatures, and each written row is charged.
 * After an eviction, the rejections of this period are missing from the count.
 */
const SAVE_INTERVAL_MS = 10_000

type RejectionsOptions = {
  /** The stored rejections as JSON; null if the trigger has no source. */
  stored: () => string | null
  save: (rejections: string) => void
  armBy: (at: number) => void
}

/** Counts the webhooks of a trigger that were rejected, for its owner. */
export class Rejections {
  readonly #options: RejectionsOptions
  /** Not saved yet. `base` is the stored text that they follow; a change of the secret replaces it. */
  #unsaved: { base: string; rejections: StoredRejections } | undefined
  #savedAt = Number.NEGATIVE_INFINITY

  constructor(options: RejectionsOptions) {
    this.#options = options
  }

  read(): StoredRejections | undefined {
    const base = this.#options.stored()
    if (base === null) return undefined
    if (this.#unsaved?.base === base) return this.#unsaved.rejections
    return JSON.parse(base) as StoredRejections
  }

  add(reason: RejectionReason, now: number): void {
    const base = this.#options.stored()
    const before = this.read()
    if (base === null || !before) return
    const rejections = { ...before, count: before.count + 1, lastReason: reason, lastAt: now }
    this.#unsaved = { base, rejections }
    // The clock may have been set back.
    const sinceSave = Math.abs(now - this.#savedAt)
    if (sinceSave >= SAVE_INTERVAL_MS) this.#save(now)
    else this.#options.armBy(now + SAVE_INTERVAL_MS)
  }

  /** Saves the rejections of an alarm's pass. */
  runDue(now: number): void {
    if (this.#unsaved) this.#save(now)
  }

  #save(now: number): void {
    const unsaved = this.#unsaved!
    this.#unsaved = undefined
    this.#savedAt = now
    if (this.#options.stored() === unsaved.base)
      this.#options.save(JSON.stringify(unsaved.rejections))
  }
}

export function noRejections(now: number): string {
  const none: StoredRejections = { since: now, count: 0, lastReason: null, lastAt: null }
  return JSON.stringify(none)
}
