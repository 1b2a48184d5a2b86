/** Number of operations of one account that may wait behind the first. */
const WAITING_MAX = 16

/**
 * Runs one operation at a time for each account, so that no account can exhaust a shared resource, such as database
 * connections or the request quota of an external service.
 */
export class OneAtATime {
  readonly #lines = new Map<string, { count: number; last: Promise<unknown> }>()
  readonly #refusal: () => Error

  /** @param refusal creates the error to throw if too many operations of an account are waiting */
  constructor(refusal: () => Error) {
    this.#refusal = refusal
  }

  /** @throws the refusal before the work starts; otherwise any error of the work */
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
