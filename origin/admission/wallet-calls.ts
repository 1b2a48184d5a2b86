import { clientNetwork } from '../../shared/client-network.ts'
import {
  MADE_FOR_WALLETS_BURST,
  MADE_FOR_WALLETS_PER_HOUR,
  WALLET_PROOFS_BURST,
  WALLET_PROOFS_PER_HOUR,
} from '../../shared/limits.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'

type Rate = { burst: number; perHour: number }

export type WalletCallsOptions = {
  db: Database
  now: () => number
  /** For hashing addresses and accounts before they are stored in the database. */
  hashKey: Uint8Array
  proofs?: Rate
  made?: Rate
}

/** Limits wallet operations that are free of charge. Shared by all processes. */
export class WalletCalls {
  readonly #proofs: CallRate
  readonly #made: CallRate

  constructor({ db, now, hashKey, proofs, made }: WalletCallsOptions) {
    const shared = { db, now, hashKey }
    this.#proofs = new CallRate({
      ...shared,
      ...(proofs ?? { burst: WALLET_PROOFS_BURST, perHour: WALLET_PROOFS_PER_HOUR }),
      name: 'wallet_proof',
      refusal: 'this address has sent too many wallet signatures',
    })
    this.#made = new CallRate({
      ...shared,
      ...(made ?? { burst: MADE_FOR_WALLETS_BURST, perHour: MADE_FOR_WALLETS_PER_HOUR }),
      name: 'made_for_wallet',
      refusal: 'too many wallets and usage keys were created by signature for this account',
    })
  }

  /**
   * Called before verification: a contract wallet's signature costs a call to this deployment's node, regardless of the
   * sender.
   * @param address the client's address; the limit applies to its network
   * @throws {TooManyCalls | DatabaseUnavailable}
   */
  proof(address: string): Promise<void> {
    return this.#proofs.take(clientNetwork(address))
  }

  /** @throws {TooManyCalls | DatabaseUnavailable} */
  made(accountHash: string): Promise<void> {
    return this.#made.take(accountHash)
  }
}
