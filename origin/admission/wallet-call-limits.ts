import { clientNetwork } from '../../shared/network/client-network.ts'
import {
  ADMIN_WALLET_CREATIONS_BURST,
  ADMIN_WALLET_CREATIONS_PER_HOUR,
  WALLET_PROOFS_BURST,
  WALLET_PROOFS_PER_HOUR,
} from '../../shared/limits.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'

type Rate = { burst: number; perHour: number }

type WalletCallLimitsOptions = {
  db: Database
  now: () => number
  hashKey: Uint8Array
  proofs?: Rate
  made?: Rate
}

export class WalletCallLimits {
  readonly #proofs: CallRate
  readonly #creations: CallRate

  constructor({
    proofs = { burst: WALLET_PROOFS_BURST, perHour: WALLET_PROOFS_PER_HOUR },
    made = { burst: ADMIN_WALLET_CREATIONS_BURST, perHour: ADMIN_WALLET_CREATIONS_PER_HOUR },
    ...shared
  }: WalletCallLimitsOptions) {
    this.#proofs = new CallRate({
      ...shared,
      ...proofs,
      name: 'wallet_proof',
      refusal: 'this address has sent too many wallet signatures',
    })
    this.#creations = new CallRate({
      ...shared,
      ...made,
      name: 'made_for_wallet',
      refusal:
        'too many wallets, usage keys and policies were created by signature for this account',
    })
  }

  /**
   * Counts a wallet proof of a client. Must be called before verification, because a contract wallet's signature costs
   * a call to this deployment's node, regardless of the sender.
   * @param address the client's address; the limit applies to its network
   * @throws {LimitExceededError | DatabaseUnavailableError}
   */
  takeProof(address: string): Promise<void> {
    return this.#proofs.take(clientNetwork(address))
  }

  /** @throws {LimitExceededError | DatabaseUnavailableError} */
  takeCreation(accountHash: string): Promise<void> {
    return this.#creations.take(accountHash)
  }
}
