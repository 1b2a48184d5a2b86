import { ACTION_STATEMENT_TYPE, type ActionStatement } from '../../shared/action-statement.ts'
import { ACTION_LOOK_UPS_PER_MINUTE } from '../../shared/limits.ts'
import { MinuteRate } from '../admission/minute-rate.ts'
import type { Keyring } from '../keys/keyring.ts'
import { Recent } from '../keys/recent.ts'
import { JwsSigner } from './jws-signer.ts'

/** Of some 900 bytes each: what many ask for is asked for again. */
const STATEMENTS_MAX = 4_096

export type StatedAction = Pick<ActionStatement, 'action_cid' | 'public_key' | 'wallet_address'> & {
  /** The same, signed (`shared/action-statement.ts`). */
  statement: string
}

export type ActionStatementsOptions = {
  keyring: Keyring
  /** Lower-case hex of 32 bytes, of the application that this process is. */
  composeHash: string
  now: () => number
}

/**
 * What is public of actions' keys, signed with the receipts' key. Nobody pays for it: what is known is given to all, and what
 * has to be derived and signed only so often to each client network. It never changes, and so has no time in it.
 */
export class ActionStatements {
  readonly #keyring: Keyring
  readonly #composeHash: string
  readonly #signer: JwsSigner
  readonly #rate: MinuteRate
  readonly #stated = new Recent<StatedAction>(STATEMENTS_MAX)

  constructor({ keyring, composeHash, now }: ActionStatementsOptions) {
    this.#keyring = keyring
    this.#composeHash = composeHash
    this.#signer = new JwsSigner(keyring.receiptKey(), ACTION_STATEMENT_TYPE)
    this.#rate = new MinuteRate({ max: ACTION_LOOK_UPS_PER_MINUTE, what: 'keys of actions', now })
  }

  /**
   * @param cid of any source, whether it ever ran or not
   * @param address of the client
   * @throws {TooManyCalls}
   */
  of(cid: string, address: string): StatedAction {
    return this.#stated.get(cid, () => {
      this.#rate.take(address)
      return this.#state(cid)
    })
  }

  #state(cid: string): StatedAction {
    const { publicKey, address } = this.#keyring.actionPublicKey(cid)
    const stated = { action_cid: cid, public_key: publicKey, wallet_address: address }
    const payload: ActionStatement = { v: 1, ...stated, compose_hash: this.#composeHash }
    return { ...stated, statement: this.#signer.sign(payload) }
  }
}
