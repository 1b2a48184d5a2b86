type Share = {
  running: number
  /** Of the running, those that use the CPU. */
  computing: number
  /** How long a run of this account had its executor, over the last ones. */
  heldMs: number | undefined
}

export type SharesOptions = {
  /** Executors, when all are started. */
  max: number
  cores: number
  /** Whether more than one account has used the processors lately. */
  isShared: () => boolean
}

/** How much the last run counts in the mean of how long runs have their executors. */
const LAST_WEIGHT = 0.2

/** Before any run has ended. */
const HELD_MS_AT_FIRST = 100

/**
 * What each account has of the executors, and what it may have.
 *
 * It may take another while it has fewer than are left over by all (a dynamic threshold of alpha 1): one account alone
 * gets half, two a third each, and one executor at least is left for who comes next.
 *
 * Whoever has no run that computes may begin one at once. More begin to compute only while fewer do than there are
 * cores, less one where accounts share them: beyond that they would wait for the processors, and make others wait.
 * Runs that compute for long have a low priority, so that they are in nobody's way; they count for their own account
 * only.
 */
export class Shares {
  readonly #max: number
  readonly #cores: number
  readonly #isShared: () => boolean
  readonly #shares = new Map<string, Share>()
  #running = 0
  /** Runs that compute, without the long ones. */
  #computing = 0
  #heldMs = HELD_MS_AT_FIRST

  constructor({ max, cores, isShared }: SharesOptions) {
    this.#max = max
    this.#cores = cores
    this.#isShared = isShared
  }

  get running(): number {
    return this.#running
  }

  runningOf(account: string): number {
    return this.#shares.get(account)?.running ?? 0
  }

  mayStart(account: string): boolean {
    const { running, computing } = this.#shares.get(account) ?? NOTHING
    if (running >= this.#max - this.#running) return false
    if (computing === 0) return true
    const cores = this.#coresForMore()
    return computing < cores && this.#computing < cores
  }

  /** How many of the runs that wait could begin if there were executors for them. */
  wanted(waiting: Iterable<{ account: string; count: number }>): number {
    const coresForMore = this.#coresForMore()
    let cores = coresForMore - this.#computing
    let running = this.#running
    for (const { account, count } of waiting) {
      const share = this.#shares.get(account) ?? NOTHING
      const threshold = Math.ceil((this.#max - running - share.running) / 2)
      const atOnce = share.computing === 0 ? 1 : 0
      const computing = Math.max(atOnce, Math.min(cores, coresForMore - share.computing))
      const more = Math.max(0, Math.min(count, threshold, computing))
      cores -= more
      running += more
    }
    return running - this.#running
  }

  /** A run has an executor, and computes. */
  started(account: string): void {
    const share = this.#shares.get(account) ?? { ...NOTHING }
    this.#shares.set(account, share)
    share.running++
    this.#running++
    this.#compute(share, 1, false)
  }

  /** A run began to compute, or to wait. */
  changed({ account, computing, isLong }: RunState): void {
    const share = this.#shares.get(account)
    if (share !== undefined) this.#compute(share, computing ? 1 : -1, isLong)
  }

  /** A run that computes has done so for long. */
  becameLong(): void {
    this.#computing--
  }

  ended({ account, computing, isLong }: RunState, heldMs: number): void {
    const share = this.#shares.get(account)
    if (share === undefined) return
    if (computing) this.#compute(share, -1, isLong)
    this.#running--
    share.heldMs = mean(share.heldMs ?? heldMs, heldMs)
    this.#heldMs = mean(this.#heldMs, heldMs)
    if (--share.running === 0) this.#shares.delete(account)
  }

  /** How long one more run of an account would wait behind `ahead` of its own, if all goes on as it did. */
  waitMs(account: string, ahead: number): number {
    const { heldMs = this.#heldMs, running } = this.#shares.get(account) ?? NOTHING
    return (ahead * heldMs) / Math.max(1, running)
  }

  /** Where several accounts are served one core is left free for who wakes up or comes next. */
  #coresForMore(): number {
    return this.#isShared() ? this.#cores - 1 : this.#cores
  }

  #compute(share: Share, by: number, isLong: boolean): void {
    share.computing += by
    if (!isLong) this.#computing += by
  }
}

/** A run that has an executor: whose it is, and whether it uses the processors. */
type RunState = { account: string; computing: boolean; isLong: boolean }

const NOTHING: Share = { running: 0, computing: 0, heldMs: undefined }

function mean(before: number, last: number): number {
  return before + (last - before) * LAST_WEIGHT
}
