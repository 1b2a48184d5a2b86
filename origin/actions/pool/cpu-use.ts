/** Decay time. Usage this long ago counts a third of current usage, so a burst is forgotten within a few seconds. */
const FADES_MS = 1_000

/** Share of one core below which usage is ignored. */
const NOTHING = 0.001

type Use = { ms: number; at: number }

/** Recent CPU usage of each account's runs, in cores: 1 is one core all the time. */
export class CpuUse {
  readonly #cores: number
  readonly #uses = new Map<string, Use>()

  constructor(cores: number) {
    this.#cores = cores
  }

  /** True if more than one account has used CPU time lately. */
  get isShared(): boolean {
    return this.#uses.size > 1
  }

  add(account: string, ms: number, now: number): void {
    const use = this.#uses.get(account)
    if (use === undefined) {
      this.#uses.set(account, { ms, at: now })
      return
    }
    use.ms = faded(use, now) + ms
    use.at = now
  }

  /**
   * True if an account used more than half of its share, which is the cores divided by the accounts that used them. The
   * limit is half, because even an account without pauses does not use a whole core: there is time between its runs. An
   * account that is alone has no share.
   */
  isHeavy(account: string, now: number): boolean {
    if (this.#uses.size === 1) return false
    const use = this.#uses.get(account)
    return use !== undefined && faded(use, now) / FADES_MS > this.#cores / this.#uses.size / 2
  }

  /** Forgets accounts that have not computed lately, so that the others share the cores. */
  forget(now: number): void {
    for (const [account, use] of this.#uses)
      if (faded(use, now) / FADES_MS < NOTHING) this.#uses.delete(account)
  }
}

function faded({ ms, at }: Use, now: number): number {
  return ms * Math.exp((at - now) / FADES_MS)
}
