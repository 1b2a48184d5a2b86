/** Maximum number of operations per account that may wait for the operation in progress. */
const WAITING_MAX = 16

/**
 * Runs one operation at a time per account, so that no account exhausts database connections or the request quota of an
 * external service.
 */
export class SerialQueue {
  readonly #queues = new Map<string, { count: number; last: Promise<unknown> }>()
  readonly #refusal: () => Error

  constructor(refusal: () => Error) {
    this.#refusal = refusal
  }

  /**
   * @throws the error created by `refusal` if too many operations of the account are waiting; otherwise any error of
   * `work`
   */
  async run<Result>(accountHash: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(accountHash) ?? { count: 0, last: Promise.resolve() }
    if (queue.count > WAITING_MAX) throw this.#refusal()
    this.#queues.set(accountHash, queue)
    queue.count += 1
    const turn = queue.last.then(work)
    queue.last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      queue.count -= 1
      if (queue.count === 0) this.#queues.delete(accountHash)
    }
  }
}
