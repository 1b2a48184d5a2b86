/** Operations per account that may wait for the one in progress. */
const WAITING_MAX = 16

/**
 * Runs one operation at a time per account, so that no account exhausts database connections or the request quota of an
 * external service.
 */
export class OneAtATime {
  readonly #lines = new Map<string, { count: number; last: Promise<unknown> }>()
  readonly #refusal: () => Error

  constructor(refusal: () => Error) {
    this.#refusal = refusal
  }

  /**
   * @throws the error created by `refusal` if too many operations of the account are waiting; otherwise any error of
   * `work`
   */
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
