/** The connected account. This state exists only in this tab. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { OpenedWallet } from '../chain-secured/open-wallet.ts'
import type { Standing } from '../chain-secured/standing.ts'
import type { Signing } from './wallets/signing.ts'

/**
 * Connection by an account key or usage key, which the client holds. Views use the operations that both modes share.
 */
export type KeyConnection = {
  by: 'key'
  client: ApiClient
  apiKey: string
  /** keccak256 of the key's text as 0x hex, which identifies the key on the chain and in statements. */
  keyHash: string
  /** `billing`: key of a converted account, valid only for `billing/*`. */
  scope: 'account' | 'usage' | 'billing'
}

/** Connection by a wallet, which the client uses through a guard (`chain-secured/guarded-provider.ts`). */
export type WalletConnection = {
  by: 'wallet'
  client: SovereignClient
  /** EIP-55 checksummed. */
  address: string
  /** Only an admin has an account to show. */
  standing: Standing
  wallet: ConnectedWallet
}

export type ConnectedWallet = {
  /** Name that the wallet announces for itself. */
  name: string
  /** The unguarded provider, used only to listen for the wallet's events. */
  announced: Eip1193Provider
  opened: OpenedWallet
  signing: Signing
  /** Aborts all pending requests to the wallet. */
  end: () => void
}

export type Connection = KeyConnection | WalletConnection

/** Returns true if the connection has full access to the account, unlike a usage key. */
export function isWholeAccount(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}
