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
  /** Addresses and accounts are in the database as hashes under this key. */
  hashKey: Uint8Array
  proofs?: Rate
  made?: Rate
}

/** How often wallets may ask for what nobody is charged for; the same at every process. */
export class WalletCalls {
  readonly #proofs: CallRate
  readonly #made: CallRate

  constructor({ db, now, hashKey, proofs, made }: WalletCallsOptions) {
    const shared = { db, now, hashKey }
    this.#proofs = new CallRate({
      ...shared,
      ...(proofs ?? { burst: WALLET_PROOFS_BURST, perHour: WALLET_PROOFS_PER_HOUR }),
      name: 'wallet_proof',
      refusal: 'this address has sent too many signatures of wallets',
    })
    this.#made = new CallRate({
      ...shared,
      ...(made ?? { burst: MADE_FOR_WALLETS_BURST, perHour: MADE_FOR_WALLETS_PER_HOUR }),
      name: 'made_for_wallet',
      refusal: 'too many wallets and usage keys were made for this account by signature',
    })
  }

  /**
   * Counts a signature before it is verified: for a contract wallet's our node makes a call, whoever sent it.
   * @param address the client's; networks are counted
   * @throws {TooManyCalls | DatabaseUnavailable}
   */
  proof(address: string): Promise<void> {
    return this.#proofs.take(clientNetwork(address))
  }

  /** Counts what is made for an account. @throws {TooManyCalls | DatabaseUnavailable} */
  made(accountHash: string): Promise<void> {
    return this.#made.take(accountHash)
  }
}
