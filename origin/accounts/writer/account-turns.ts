import { ChainUnavailable } from '../chain.ts'

/**
 * Maximum concurrent writes per account. Each is simulated against the current state, so at most this many conflicting
 * writes can revert in one block. With two payers or more, they take up only a fraction of a block.
 */
export const TURNS_MAX = 16

/** Maximum waiting writes per account: eight rounds, or a minute and a half on a chain with slow blocks. */
export const TURNS_WAITING_MAX = 128

/** Queue of all account creations. It cannot collide with a credential, which is 0x hex. */
const OPENINGS = 'openings'

type Queue = { underWay: number; waiting: (() => void)[] }

/**
 * Limits concurrent writes per account. The queue is selected by the write's credential, so that a flood from a usage
 * key cannot delay the account key that revokes it. All account creations share one queue.
 */
export class AccountTurns {
  readonly #queues = new Map<string, Queue>()
  readonly #waitMs: number

  /** @param waitMs maximum wait for a turn */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /**
   * Waits for a turn, first come first served, then runs `work`.
   * @param args the arguments of the contract function; the first is the credential
   * @throws {ChainUnavailable} if too many writes are waiting, or the wait times out; `work` was not called
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
      // The turn is handed over synchronously, so that no other write can take it.
      if (next) next()
      else if (--queue.underWay === 0) this.#queues.delete(account)
    }
  }

  async #wait({ waiting }: Queue): Promise<void> {
    if (waiting.length >= TURNS_WAITING_MAX)
      throw new ChainUnavailable('too many writes of this account are waiting for it')
    const turn = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn.resolve), 1)
      turn.reject(new ChainUnavailable('other writes of this account were waiting for it too long'))
    }, this.#waitMs)
    waiting.push(turn.resolve)
    await turn.promise.finally(() => clearTimeout(late))
  }
}
