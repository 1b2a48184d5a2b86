/** Things of one account that may wait behind its first. */
const WAITING_MAX = 16

/**
 * One thing at a time for each account: what is shared by all, connections to the database or what a service takes of
 * this deployment, must not be used up by one of them.
 */
export class OneAtATime {
  readonly #lines = new Map<string, { count: number; last: Promise<unknown> }>()
  readonly #refusal: () => Error

  /** @param refusal is thrown where too many of an account wait already */
  constructor(refusal: () => Error) {
    this.#refusal = refusal
  }

  /** @throws the refusal, and nothing was done; else what the work throws */
  async take<Result>(accountHash: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(accountHash) ?? { count: 0, last: Promise.resolve() }
    if (line.count > WAITING_MAX) throw this.#refusal()
    this.#lines.set(accountHash, line)
    line.count += 1
    const turn = line.last.then(work)
    line.last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      line.count -= 1
      if (line.count === 0) this.#lines.delete(accountHash)
    }
  }
}
