type Share = {
  running: number
  /** Number of running runs that use the CPU. */
  computing: number
  /** Average time for which recent runs of this account held an executor. */
  heldMs: number | undefined
}

export type SharesOptions = {
  /** Number of executors when all are started. */
  max: number
  cores: number
  /** True if more than one account has used the processors lately. */
  isShared: () => boolean
}

/** Weight of the latest run in the average time for which runs hold an executor. */
const LAST_WEIGHT = 0.2

/** Assumed before any run has ended. */
const HELD_MS_AT_FIRST = 100

/**
 * Counts the executors that each account uses, and decides whether it may use more.
 *
 * An account may take another executor while it has fewer than are left over by all (a dynamic threshold with alpha 1).
 * One account alone gets half, two get a third each, and at least one executor is left for the next account.
 *
 * An account without a computing run may start one at once. Further runs may start only while fewer runs compute than
 * there are cores, less one if several accounts share them. With more, runs would wait for the processors and slow down
 * the others. Runs that compute for long have a low priority and do not delay others, so they count only towards their
 * own account.
 */
export class Shares {
  readonly #max: number
  readonly #cores: number
  readonly #isShared: () => boolean
  readonly #shares = new Map<string, Share>()
  #running = 0
  /** Computing runs, not counting the long ones. */
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

  /** Returns how many of the waiting runs could start if there were executors for them. */
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

  /** Called when a run gets an executor and starts to compute. */
  started(account: string): void {
    const share = this.#shares.get(account) ?? { ...NOTHING }
    this.#shares.set(account, share)
    share.running++
    this.#running++
    this.#compute(share, 1, false)
  }

  /** Called when a run starts to compute or to wait. */
  changed({ account, computing, isLong }: RunState): void {
    const share = this.#shares.get(account)
    if (share !== undefined) this.#compute(share, computing ? 1 : -1, isLong)
  }

  /** Called when a computing run has computed for long. */
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

  /**
   * Estimates how long another run of an account would wait behind `ahead` runs of the same account, at the current
   * pace.
   */
  waitMs(account: string, ahead: number): number {
    const { heldMs = this.#heldMs, running } = this.#shares.get(account) ?? NOTHING
    return (ahead * heldMs) / Math.max(1, running)
  }

  /** If several accounts are active, one core is left free for the next run that arrives or resumes. */
  #coresForMore(): number {
    return this.#isShared() ? this.#cores - 1 : this.#cores
  }

  #compute(share: Share, by: number, isLong: boolean): void {
    share.computing += by
    if (!isLong) this.#computing += by
  }
}

type RunState = { account: string; computing: boolean; isLong: boolean }

const NOTHING: Share = { running: 0, computing: 0, heldMs: undefined }

function mean(before: number, last: number): number {
  return before + (last - before) * LAST_WEIGHT
}
