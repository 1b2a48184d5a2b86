/** What was used this long ago counts a third of what is used now: a burst is forgotten within some seconds. */
const FADES_MS = 1_000

/** Of one core: less is no use worth counting. */
const NOTHING = 0.001

type Use = { ms: number; at: number }

/** How much of the processors each account's runs took lately, as cores: 1 is one core all the time. */
export class CpuUse {
  readonly #cores: number
  readonly #uses = new Map<string, Use>()

  constructor(cores: number) {
    this.#cores = cores
  }

  /** Whether more than one account has used any lately. */
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
   * Whether an account took more than half of its share: of the cores, divided by all that used them. Half, since one
   * that goes on without a pause has not the whole of a core, by the time between its runs. Who is alone has no share.
   */
  isHeavy(account: string, now: number): boolean {
    if (this.#uses.size === 1) return false
    const use = this.#uses.get(account)
    return use !== undefined && faded(use, now) / FADES_MS > this.#cores / this.#uses.size / 2
  }

  /** Forgets accounts that have not computed lately; the others share the cores. */
  forget(now: number): void {
    for (const [account, use] of this.#uses)
      if (faded(use, now) / FADES_MS < NOTHING) this.#uses.delete(account)
  }
}

function faded({ ms, at }: Use, now: number): number {
  return ms * Math.exp((at - now) / FADES_MS)
}
