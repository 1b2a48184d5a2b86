import { ContractUnavailableError } from '../chain.ts'

/**
 * Maximum number of concurrent writes per account. Each write is simulated against the current state, so at most this
 * many conflicting writes can revert in one block. With at least two payers, the writes of one account occupy only a
 * fraction of a block.
 */
const ACCOUNT_WRITES_MAX = 16

/** A full queue takes eight rounds, which is one and a half minutes on a chain with slow blocks. */
const ACCOUNT_WRITES_QUEUED_MAX = 128

/**
 * Key of the queue that all account creations share. The keys of other queues are credentials in 0x hex, so they cannot
 * collide with it.
 */
const ACCOUNT_CREATIONS = 'openings'

type WriteQueue = { running: number; waiting: (() => void)[] }

/**
 * Limits concurrent writes per account. Each credential has its own queue, so that a flood of writes with a usage key
 * cannot delay the account key that revokes it. All account creations share one queue.
 */
export class AccountWriteLimiter {
  readonly #queues = new Map<string, WriteQueue>()
  readonly #waitMs: number

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /**
   * Runs `work` once the account is below its limit. Queued writes run in order of arrival.
   * @param args arguments of the contract function; the first argument is the credential
   * @throws {ContractUnavailableError} if too many writes are waiting or the wait times out; `work` was not called
   */
  async run<Result>(
    functionName: string,
    args: readonly unknown[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const account = functionName === 'newAccount' ? ACCOUNT_CREATIONS : String(args[0])
    const queue = this.#queues.get(account) ?? { running: 0, waiting: [] }
    this.#queues.set(account, queue)
    if (queue.running >= ACCOUNT_WRITES_MAX) await this.#wait(queue)
    else queue.running++
    try {
      return await work()
    } finally {
      const next = queue.waiting.shift()
      // The turn is passed on synchronously, so that no other write can take it.
      if (next) next()
      else if (--queue.running === 0) this.#queues.delete(account)
    }
  }

  async #wait({ waiting }: WriteQueue): Promise<void> {
    if (waiting.length >= ACCOUNT_WRITES_QUEUED_MAX)
      throw new ContractUnavailableError('too many writes of this account are queued')
    const turn = Promise.withResolvers<void>()
    const timeout = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn.resolve), 1)
      turn.reject(new ContractUnavailableError('timed out behind other writes of this account'))
    }, this.#waitMs)
    waiting.push(turn.resolve)
    await turn.promise.finally(() => clearTimeout(timeout))
  }
}
