import { ChainUnavailable } from '../chain.ts'

/**
 * Concurrent writes per account. Each is simulated against the current state, so at most this many conflicting writes
 * can revert in one block. With at least two payers, they occupy only a fraction of a block.
 */
export const TURNS_MAX = 16

/** Waiting writes per account. They take eight rounds, or one and a half minutes on a chain with slow blocks. */
export const TURNS_WAITING_MAX = 128

/** Queue of all account creations. Other keys are credentials in 0x hex, so it cannot collide with them. */
const OPENINGS = 'openings'

type Queue = { underWay: number; waiting: (() => void)[] }

/**
 * Limits concurrent writes per account. Queues are separate per credential, so that a flood of writes with a usage key
 * cannot delay the account key that revokes it. All account creations share one queue.
 */
export class AccountTurns {
  readonly #queues = new Map<string, Queue>()
  readonly #waitMs: number

  /** @param waitMs limit for waiting on a turn */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /**
   * Turns are given in order of arrival.
   * @param args arguments of the contract function, of which the first is the credential
   * @throws {ChainUnavailable} if too many writes are waiting or the wait times out; `work` was not called
   */
  async inTurn<Result>(
    functionName: string,
    args: readonly unknown[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const account = functionName === 'newAccount' ? OPENINGS : String(args[0])
    const queue = this.#queues.get(account) ?? { underWay: 0, waiting: [] }
    this.#queues.set(account, queue)
    if (queue.underWay >= TURNS_MAX) await this.#wait(queue)
    else queue.underWay++
    try {
      return await work()
    } finally {
      const next = queue.waiting.shift()
      // Synchronous, so that no other write can take the turn.
      if (next) next()
      else if (--queue.underWay === 0) this.#queues.delete(account)
    }
  }

  async #wait({ waiting }: Queue): Promise<void> {
    if (waiting.length >= TURNS_WAITING_MAX)
      throw new ChainUnavailable('too many writes of this account are queued')
    const turn = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn.resolve), 1)
      turn.reject(new ChainUnavailable('timed out behind other writes of this account'))
    }, this.#waitMs)
    waiting.push(turn.resolve)
    await turn.promise.finally(() => clearTimeout(late))
  }
}
