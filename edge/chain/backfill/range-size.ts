/** Initial number of blocks per request. Most provider plans accept it. */
const FIRST_BLOCKS = 500

/** Maximum number of blocks per request. Longer ranges save little, and bring a request close to its timeout. */
const MOST_BLOCKS = 100_000

/**
 * Ratio of the rejected size to the accepted size at which the search for the limit stops. Narrowing the limit further
 * would cost more requests than it saves.
 */
const NEAR_ENOUGH = 1.04

/**
 * Number of responses at a known limit before a larger size is tried. Each rejected trial doubles the number, so trials
 * cause at most one rejection per hundred requests.
 */
const PATIENCE = 100
const MOST_PATIENCE = 1_600

const TRY_MORE = 1.05

/** Maximum number of logs that most providers return in one response. */
const MOST_LOGS = 10_000

/**
 * Minimum number of logs for which a provider may reject a range. A rejected range with fewer logs must have too many
 * blocks.
 */
export const REJECTED_LOGS_MIN = 1_000

/**
 * Learns how many blocks a provider accepts per request. All readers of a chain share one instance. The size doubles on
 * success, halves on a rejection, and then bisects. A hint from the provider takes precedence. After many responses at
 * a known limit, a slightly larger size is tried (`docs/decisions/0044`).
 */
export class RangeSize {
  #blocks: number
  readonly #most: number
  /** Reset when the provider rejects a request of this size or smaller. */
  #accepted = 0
  /** Reset when the provider accepts a request of this size or larger. */
  #rejected = Number.POSITIVE_INFINITY
  #responses = 0
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
   * Returns the size of the next request. Only one request at a time, the probe, tries a size that was never accepted,
   * because several such requests would be rejected together without providing more information. The caller must call
   * `endProbe` after a probe.
   * @param isOnly true if no other request is in flight; the request may then use a size that is already being probed
   * @returns undefined if no size has been accepted yet and the request must wait for the probe
   */
  next(most: number, isOnly: boolean): { blocks: number; isProbe: boolean } | undefined {
    const blocks = Math.min(most, this.#blocks)
    if (blocks <= this.#accepted) return { blocks, isProbe: false }
    if (!this.#isProbed) {
      this.#isProbed = true
      return { blocks, isProbe: true }
    }
    if (this.#accepted > 0) return { blocks: this.#accepted, isProbe: false }
    return isOnly ? { blocks, isProbe: false } : undefined
  }

  /** Must be called whether or not the probe succeeded. */
  endProbe(): void {
    this.#isProbed = false
  }

  /**
   * Target number of logs per response: a quarter of the provider's limit. Logs are unevenly distributed over blocks,
   * and the responses of four requests are in memory at the same time.
   */
  get targetLogs(): number {
    return this.#logs / 4
  }

  /** Infinity if no limit is known. */
  get rejectedFrom(): number {
    return this.#rejected
  }

  recordSuccess(blocks: number): void {
    if (blocks >= this.#rejected) this.#rejected = Number.POSITIVE_INFINITY
    if (blocks === this.#trial) this.#patience = PATIENCE
    this.#accepted = Math.max(this.#accepted, blocks)
    // Ignores a request of another size, because its success says nothing about the current size.
    if (blocks !== this.#blocks) return
    const isKnown = this.#rejected <= Math.max(blocks + 1, blocks * NEAR_ENOUGH)
    if (isKnown) return this.#countTowardTrial(blocks)
    const middle = Math.floor((blocks + this.#rejected) / 2)
    this.#blocks = Math.min(2 * blocks, middle, this.#most)
  }

  /**
   * Reduces the size after a rejection. If several requests in flight are rejected, the size is reduced only once.
   * @param hint number of blocks that the provider claims to accept; ignored unless it is less than `blocks`
   */
  recordRejection(blocks: number, hint?: number): void {
    if (blocks === this.#trial) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE)
    this.#trial = undefined
    this.#responses = 0
    if (hint !== undefined && hint >= 1 && hint < blocks) {
      this.#blocks = Math.min(hint, this.#most)
      this.#accepted = 0
      this.#rejected = this.#blocks + 1
      return
    }
    // The rejected size was accepted before, so either the provider's plan has changed or these blocks contain more
    // logs.
    if (blocks <= this.#accepted) this.#accepted = 0
    this.#rejected = Math.min(this.#rejected, blocks)
    const lower = this.#accepted > 0 ? this.#accepted : Math.floor(blocks / 2)
    this.#blocks = Math.max(1, Math.min(this.#blocks, lower))
  }

  /**
   * Records that a range was rejected because of its logs, so that its number of blocks is no longer considered too
   * large.
   * @param before value of `rejectedFrom` before the rejection
   */
  recordManyLogs(blocks: number, logs: number, before: number): void {
    this.#logs = Math.max(REJECTED_LOGS_MIN, Math.min(this.#logs, logs))
    if (this.#rejected <= blocks) this.#rejected = before
  }

  #countTowardTrial(blocks: number): void {
    this.#responses++
    if (this.#responses < this.#patience) return
    this.#responses = 0
    this.#trial = Math.min(Math.max(blocks + 1, Math.ceil(blocks * TRY_MORE)), this.#most)
    this.#blocks = this.#trial
  }
}
