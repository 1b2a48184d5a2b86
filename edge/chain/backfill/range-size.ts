/** Where nothing is known: what most plans take. */
const FIRST_BLOCKS = 500

/** Longer ranges save little, and bring a question near its timeout. */
const MOST_BLOCKS = 100_000

/** What is refused may be this much above what is taken: to find more out costs more questions than it saves. */
const NEAR_ENOUGH = 1.04

/** Answers at a known limit before it is tried again; after each refusal twice as many. One question in a hundred is lost. */
const PATIENCE = 100
const MOST_PATIENCE = 1_600

/** The step by which a known limit is tried again. */
const TRY_MORE = 1.05

/** What most providers give in one answer at most. */
const MOST_LOGS = 10_000

/** No provider refuses a range because of fewer logs than this: then it was because of its blocks. */
export const FEWEST_LOGS_REFUSED = 1_000

/**
 * How much one question asks for: a property of the provider, so all stretches of a chain share one. It doubles on
 * success and halves on a refusal; between what was taken and what was refused it takes the middle, until both are near
 * each other. A hint of the provider's is believed. A known limit is tried again, by a little, after many answers.
 */
export class RangeSize {
  #blocks: number
  readonly #most: number
  /** The largest range that was answered since one as small was refused. */
  #taken = 0
  /** The smallest range that was refused since one as large was answered. */
  #refused = Number.POSITIVE_INFINITY
  /** Answers at the known limit since it was last tried. */
  #answers = 0
  #patience = PATIENCE
  #trial: number | undefined
  #isProbed = false
  #logs = MOST_LOGS

  constructor(first = FIRST_BLOCKS, most = MOST_BLOCKS) {
    this.#blocks = Math.min(first, most)
    this.#most = most
  }

  /** How many blocks a question asks for. */
  get blocks(): number {
    return this.#blocks
  }

  /**
   * How many blocks the next question asks for. A size that was not answered yet is tried by one question at a time:
   * four would be refused together, and teach no more.
   * @param most no more than this
   * @param isOnly it may try what another one tries: it would have nothing to wait for
   * @returns `undefined` while it is not known whether anything at all is answered; a probe is to be ended by `probed`
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

  /** A probe is over, however it ended. */
  probed(): void {
    this.#isProbed = false
  }

  /**
   * How many logs a question should be answered with: a quarter of what may be refused. Stretches are uneven, and the
   * answers of four questions are in memory together.
   */
  get logs(): number {
    return this.#logs / 4
  }

  /** The smallest range that is known to be too large. */
  get refusedFrom(): number {
    return this.#refused
  }

  /** A range of so many blocks was answered. */
  answered(blocks: number): void {
    if (blocks >= this.#refused) this.#refused = Number.POSITIVE_INFINITY
    if (blocks === this.#trial) this.#patience = PATIENCE
    this.#taken = Math.max(this.#taken, blocks)
    // What was cut shorter than the size says nothing about it, nor what was asked before the size fell.
    if (blocks !== this.#blocks) return
    const isKnown = this.#refused <= Math.max(blocks + 1, blocks * NEAR_ENOUGH)
    if (isKnown) return this.#waitToTry(blocks)
    const middle = Math.floor((blocks + this.#refused) / 2)
    this.#blocks = Math.min(2 * blocks, middle, this.#most)
  }

  /**
   * A range of so many blocks was refused. Questions that were under way together are refused together: that is one step.
   * @param hint the blocks that the provider says it takes; one that is not smaller is none
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
    // It was taken once and is not now: the plan has changed, or these blocks have more logs.
    if (blocks <= this.#taken) this.#taken = 0
    this.#refused = Math.min(this.#refused, blocks)
    const lower = this.#taken > 0 ? this.#taken : Math.floor(blocks / 2)
    this.#blocks = Math.max(1, Math.min(this.#blocks, lower))
  }

  /**
   * A range that was refused has so many logs that they were the reason: its blocks are no limit.
   * @param before `refusedFrom` before it was refused
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
