/** Too much of one account is waiting for the processor already. */
export class TooManyPayments extends Error {
  readonly retryAfterMs: number
  constructor(reason: string, retryAfterMs: number) {
    super(reason)
    this.name = 'TooManyPayments'
    this.retryAfterMs = retryAfterMs
  }
}

/** Requests of one account that may wait behind its first. */
const WAITING_MAX = 16

/**
 * One thing at a time for each account: the processor bounds what this deployment may ask it, the database has few
 * connections, and no account may use either up.
 */
export class Turns {
  readonly #lines = new Map<string, { waiting: number; last: Promise<unknown> }>()

  readonly #refuse: () => Error

  constructor(
    refuse: () => Error = () =>
      new TooManyPayments('too many payment requests of this account are waiting', 1_000),
  ) {
    this.#refuse = refuse
  }

  /** @throws its refusal, {TooManyPayments} unless said, where too many wait already; else what the work throws */
  async take<Result>(accountHash: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(accountHash) ?? { waiting: 0, last: Promise.resolve() }
    if (line.waiting > WAITING_MAX) throw this.#refuse()
    this.#lines.set(accountHash, line)
    line.waiting += 1
    const turn = line.last.then(work)
    line.last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      line.waiting -= 1
      if (line.waiting === 0) this.#lines.delete(accountHash)
    }
  }
}
