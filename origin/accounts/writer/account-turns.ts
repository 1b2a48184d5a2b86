import { ChainUnavailable } from '../chain.ts'

/**
 * Writes of one account under way at once. Each is simulated on the chain as it stands, so of colliding ones so many
 * may revert in a block; and with two payers or more, so many are a fraction of a block for everybody else.
 */
export const TURNS_MAX = 16

/** Writes of one account that wait for a turn: eight rounds, a minute and a half on a chain of slow blocks. */
export const TURNS_WAITING_MAX = 128

/** A hash is 0x and hex: no account has this for its credential. */
const OPENINGS = 'openings'

type Queue = { underWay: number; waiting: (() => void)[] }

/**
 * Whose turn it is to write. An account is known by the credential that the write names, so that what a usage key
 * floods it with is not before the account key that revokes it; all openings of accounts are one.
 */
export class AccountTurns {
  readonly #queues = new Map<string, Queue>()
  readonly #waitMs: number

  /** @param waitMs how long a turn is waited for */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /**
   * Waits for a turn, first come first served, and does the work in it.
   * @param args of the function of the contract; the first is the credential
   * @throws {ChainUnavailable} when too many wait, or the turn does not come in time; nothing was done
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
      // The turn goes over to the next without a moment in which somebody else could take it.
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
