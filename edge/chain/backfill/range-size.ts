/** Initial size, which most plans accept. */
const FIRST_BLOCKS = 500

/** Longer ranges save little, and bring a request close to its timeout. */
const MOST_BLOCKS = 100_000

/**
 * The smallest rejected size may be this much larger than the largest accepted one. Narrowing the gap further would
 * cost more requests than it saves.
 */
const NEAR_ENOUGH = 1.04

/**
 * Responses at a known limit before a larger size is tried, doubled by each rejection. At most one request in a hundred
 * is rejected because of such a trial.
 */
const PATIENCE = 100
const MOST_PATIENCE = 1_600

/** Factor by which a known limit is raised when it is tried again. */
const TRY_MORE = 1.05

/** Most providers' limit on the logs of one response. */
const MOST_LOGS = 10_000

/** No provider rejects a range for fewer logs than this. Such a rejection is due to the number of blocks. */
export const FEWEST_LOGS_REFUSED = 1_000

/**
 * Adaptive number of blocks per request. It depends on the provider, so all ranges of a chain share one. It doubles on
 * success, halves on a rejection, and then bisects between accepted and rejected sizes until they are close. A
 * provider's hint takes precedence. After many responses at a known limit, a slightly larger size is tried
 * (`docs/decisions/0044`).
 */
export class RangeSize {
  #blocks: number
  readonly #most: number
  /** Largest accepted range. Reset when a range of at most this size is rejected. */
  #taken = 0
  /** Smallest rejected range. Reset when a range of at least this size is accepted. */
  #refused = Number.POSITIVE_INFINITY
  /** Responses at the known limit since a larger size was last tried. */
  #answers = 0
  #patience = PATIENCE
  #trial: number | undefined
  #isProbed = false
  #logs = MOST_LOGS

  constructor(first = FIRST_BLOCKS, most = MOST_BLOCKS) {
    this.#blocks = Math.min(first, most)
    this.#most = most
  }

  get blocks(): number {
    return this.#blocks
  }

  /**
   * Returns the size of the next request. Only one request at a time tries a size that was never accepted: four would
   * be rejected together and teach no more.
   * @param most upper limit
   * @param isOnly true if no other request is in flight; it may then try a size that is already being tried
   * @returns undefined while no size is known to be accepted; a probe must be ended by `probed`
   */
  next(most: number, isOnly: boolean): { blocks: number; isProbe: boolean } | undefined {
    const blocks = Math.min(most, this.#blocks)
    if (blocks <= this.#taken) return { blocks, isProbe: false }
    if (!this.#isProbed) {
      this.#isProbed = true
      return { blocks, isProbe: true }
    }
    if (this.#taken > 0) return { blocks: this.#taken, isProbe: false }
    return isOnly ? { blocks, isProbe: false } : undefined
  }

  /** Ends a probe, whether it succeeded or not. */
  probed(): void {
    this.#isProbed = false
  }

  /**
   * Target number of logs per response: a quarter of what may be rejected. Ranges are uneven, and the responses of four
   * requests are in memory together.
   */
  get logs(): number {
    return this.#logs / 4
  }

  /** The smallest range that is known to be too large. */
  get refusedFrom(): number {
    return this.#refused
  }

  /** Records that a range of this many blocks was accepted. */
  answered(blocks: number): void {
    if (blocks >= this.#refused) this.#refused = Number.POSITIVE_INFINITY
    if (blocks === this.#trial) this.#patience = PATIENCE
    this.#taken = Math.max(this.#taken, blocks)
    // A request shorter than the current size, or sent before the size shrank, says nothing about the current size.
    if (blocks !== this.#blocks) return
    const isKnown = this.#refused <= Math.max(blocks + 1, blocks * NEAR_ENOUGH)
    if (isKnown) return this.#waitToTry(blocks)
    const middle = Math.floor((blocks + this.#refused) / 2)
    this.#blocks = Math.min(2 * blocks, middle, this.#most)
  }

  /**
   * Records that a range of this many blocks was rejected. Requests rejected while in flight together count as one
   * step.
   * @param hint number of blocks that the provider says it accepts, ignored unless smaller
   */
  refused(blocks: number, hint?: number): void {
    if (blocks === this.#trial) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE)
    this.#trial = undefined
    this.#answers = 0
    if (hint !== undefined && hint >= 1 && hint < blocks) {
      this.#blocks = Math.min(hint, this.#most)
      this.#taken = 0
      this.#refused = this.#blocks + 1
      return
    }
    // This size was accepted before, so the plan has changed or these blocks have more logs.
    if (blocks <= this.#taken) this.#taken = 0
    this.#refused = Math.min(this.#refused, blocks)
    const lower = this.#taken > 0 ? this.#taken : Math.floor(blocks / 2)
    this.#blocks = Math.max(1, Math.min(this.#blocks, lower))
  }

  /**
   * Records that a rejected range has so many logs that they were the reason. Its number of blocks is then not a limit.
   * @param before `refusedFrom` before the rejection
   */
  hadManyLogs(blocks: number, logs: number, before: number): void {
    this.#logs = Math.max(FEWEST_LOGS_REFUSED, Math.min(this.#logs, logs))
    if (this.#refused <= blocks) this.#refused = before
  }

  #waitToTry(blocks: number): void {
    this.#answers++
    if (this.#answers < this.#patience) return
    this.#answers = 0
    this.#trial = Math.min(Math.max(blocks + 1, Math.ceil(blocks * TRY_MORE)), this.#most)
    this.#blocks = this.#trial
  }
}
