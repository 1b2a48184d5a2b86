type AccountShare = {
  running: number
  computing: number
  /** Moving average of the time for which the account's runs occupied an executor, in milliseconds. */
  heldMs: number | undefined
}

type ExecutorSharesOptions = {
  max: number
  cores: number
  isShared: () => boolean
}

const LAST_WEIGHT = 0.2

/** Assumed average time for which runs occupy an executor, used before any run has ended. */
const INITIAL_HELD_MS = 100

/**
 * Counts the executors that each account uses, and decides whether the account may use another one.
 *
 * An account may take another executor only while it uses fewer executors than are free (a dynamic threshold with alpha
 * 1). A single account gets half of the executors, two accounts get a third each, and at least one executor is left for
 * the next account.
 *
 * An account without a computing run may always start a run. Otherwise, a run may start only while the number of
 * computing runs is below the number of cores, or one less if several accounts share the cores. More runs would compete
 * for the cores and slow each other down. Long computations have a low priority and do not delay other runs, so they
 * count only towards their own account.
 */
export class ExecutorShares {
  readonly #max: number
  readonly #cores: number
  readonly #isShared: () => boolean
  readonly #shares = new Map<string, AccountShare>()
  #running = 0
  /** Number of computing runs, excluding long computations. */
  #computing = 0
  #heldMs = INITIAL_HELD_MS

  constructor({ max, cores, isShared }: ExecutorSharesOptions) {
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
    const { running, computing } = this.#shares.get(account) ?? EMPTY_SHARE
    if (running >= this.#max - this.#running) return false
    if (computing === 0) return true
    const cores = this.#coresForMore()
    return computing < cores && this.#computing < cores
  }

  wanted(waiting: Iterable<{ account: string; count: number }>): number {
    const coresForMore = this.#coresForMore()
    let cores = coresForMore - this.#computing
    let running = this.#running
    for (const { account, count } of waiting) {
      const share = this.#shares.get(account) ?? EMPTY_SHARE
      const threshold = Math.ceil((this.#max - running - share.running) / 2)
      const atOnce = share.computing === 0 ? 1 : 0
      const computing = Math.max(atOnce, Math.min(cores, coresForMore - share.computing))
      const more = Math.max(0, Math.min(count, threshold, computing))
      cores -= more
      running += more
    }
    return running - this.#running
  }

  /** The run counts as computing at first. */
  started(account: string): void {
    const share = this.#shares.get(account) ?? { ...EMPTY_SHARE }
    this.#shares.set(account, share)
    share.running++
    this.#running++
    this.#addComputing(share, 1, false)
  }

  changed({ account, computing, isLong }: RunState): void {
    const share = this.#shares.get(account)
    if (share !== undefined) this.#addComputing(share, computing ? 1 : -1, isLong)
  }

  becameLong(): void {
    this.#computing--
  }

  ended({ account, computing, isLong }: RunState, heldMs: number): void {
    const share = this.#shares.get(account)
    if (share === undefined) return
    if (computing) this.#addComputing(share, -1, isLong)
    this.#running--
    share.heldMs = movingAverage(share.heldMs ?? heldMs, heldMs)
    this.#heldMs = movingAverage(this.#heldMs, heldMs)
    if (--share.running === 0) this.#shares.delete(account)
  }

  /** Estimates how long a new run waits behind `ahead` queued runs of the same account, in milliseconds. */
  waitMs(account: string, ahead: number): number {
    const { heldMs = this.#heldMs, running } = this.#shares.get(account) ?? EMPTY_SHARE
    return (ahead * heldMs) / Math.max(1, running)
  }

  /**
   * Number of cores for accounts that already have a computing run. If several accounts are active, one core remains
   * free for the next run that arrives or resumes.
   */
  #coresForMore(): number {
    return this.#isShared() ? this.#cores - 1 : this.#cores
  }

  #addComputing(share: AccountShare, by: number, isLong: boolean): void {
    share.computing += by
    if (!isLong) this.#computing += by
  }
}

type RunState = { account: string; computing: boolean; isLong: boolean }

const EMPTY_SHARE: AccountShare = { running: 0, computing: 0, heldMs: undefined }

function movingAverage(before: number, last: number): number {
  return before + (last - before) * LAST_WEIGHT
}
