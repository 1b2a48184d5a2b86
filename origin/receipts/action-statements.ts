import {
  ACTION_STATEMENT_TYPE,
  type ActionStatement,
} from '../../shared/receipts/action-statement.ts'
import { ACTION_LOOKUPS_PER_MINUTE } from '../../shared/limits.ts'
import { MinuteRate } from '../admission/minute-rate.ts'
import type { Keyring } from '../keys/keyring.ts'
import { LruCache } from '../lru-cache.ts'
import { JwsSigner } from './jws-signer.ts'

/** At about 900 bytes each. Popular actions are requested repeatedly. */
const CACHED_STATEMENTS_MAX = 4_096

export type ActionKeyStatement = Pick<
  ActionStatement,
  'action_cid' | 'public_key' | 'wallet_address'
> & {
  /** Signed statement with the CID, public key and wallet address (`shared/receipts/action-statement.ts`). */
  statement: string
}

export type ActionStatementsOptions = {
  keyring: Keyring
  /** 32 bytes as lower-case hex. */
  composeHash: string
  now: () => number
}

/**
 * Signs statements about the public keys of actions with the receipt key. Statements are free of charge, so new
 * statements are rate-limited per client network; cached statements are not. A statement has no timestamp, because its
 * content never changes.
 */
export class ActionStatements {
  readonly #keyring: Keyring
  readonly #composeHash: string
  readonly #signer: JwsSigner
  readonly #rate: MinuteRate
  readonly #cache = new LruCache<ActionKeyStatement>(CACHED_STATEMENTS_MAX)

  constructor({ keyring, composeHash, now }: ActionStatementsOptions) {
    this.#keyring = keyring
    this.#composeHash = composeHash
    this.#signer = new JwsSigner(keyring.receiptKey(), ACTION_STATEMENT_TYPE)
    this.#rate = new MinuteRate({ max: ACTION_LOOKUPS_PER_MINUTE, what: 'action keys', now })
  }

  /**
   * @param cid the CID of any source, even if the source has never run
   * @param address the client's IP address
   * @throws {LimitExceededError}
   */
  statementFor(cid: string, address: string): ActionKeyStatement {
    return this.#cache.getOrCreate(cid, () => {
      this.#rate.take(address)
      return this.#signStatement(cid)
    })
  }

  #signStatement(cid: string): ActionKeyStatement {
    const { publicKey, address } = this.#keyring.actionPublicKey(cid)
    const stated = { action_cid: cid, public_key: publicKey, wallet_address: address }
    const payload: ActionStatement = { v: 1, ...stated, compose_hash: this.#composeHash }
    return { ...stated, statement: this.#signer.sign(payload) }
  }
}
