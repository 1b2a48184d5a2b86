/**
 * Time constant of the exponential decay: CPU usage counts about a third after this time. A burst is forgotten within a
 * few seconds.
 */
const DECAY_MS = 1_000

/** CPU usage in cores, below which an account counts as inactive. */
const INACTIVE_CORES = 0.001

type AccountUsage = { ms: number; at: number }

/** Tracks the recent CPU usage of each account's runs. A value of 1 means one fully used core. */
export class CpuUsage {
  readonly #cores: number
  readonly #uses = new Map<string, AccountUsage>()

  constructor(cores: number) {
    this.#cores = cores
  }

  get isShared(): boolean {
    return this.#uses.size > 1
  }

  add(account: string, ms: number, now: number): void {
    const use = this.#uses.get(account)
    if (use === undefined) {
      this.#uses.set(account, { ms, at: now })
      return
    }
    use.ms = decayed(use, now) + ms
    use.at = now
  }

  /**
   * True if an account recently used more than half of its fair share. The fair share is the number of cores divided by
   * the number of active accounts. The limit is half, because there are gaps between runs, so even an account that
   * always has a run does not use a whole core. False if only one account is active.
   */
  isHeavy(account: string, now: number): boolean {
    if (this.#uses.size === 1) return false
    const use = this.#uses.get(account)
    return use !== undefined && decayed(use, now) / DECAY_MS > this.#cores / this.#uses.size / 2
  }

  /** Removes inactive accounts, so that the remaining accounts share the cores. */
  evictInactive(now: number): void {
    for (const [account, use] of this.#uses)
      if (decayed(use, now) / DECAY_MS < INACTIVE_CORES) this.#uses.delete(account)
  }
}

function decayed({ ms, at }: AccountUsage, now: number): number {
  return ms * Math.exp((at - now) / DECAY_MS)
}
