/** Connection of the console to an account. It exists only in this tab. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { OpenedWallet } from '../chain-secured/open-wallet.ts'
import type { Standing } from '../chain-secured/standing.ts'
import type { Signing } from './wallets/signing.ts'

/** Connection by an account key or a usage key. Views use only operations that key and wallet connections share. */
export type KeyConnection = {
  by: 'key'
  client: ApiClient
  apiKey: string
  /** keccak256 hash of the key's text in 0x hex. It identifies the key on the chain and in statements. */
  keyHash: string
  /** Kind of key. `billing` is the key of a converted account, which is valid only for `billing/*`. */
  scope: 'account' | 'usage' | 'billing'
}

/** Connection by a wallet, which the client uses through a guarded provider (`chain-secured/guarded-provider.ts`). */
export type WalletConnection = {
  by: 'wallet'
  client: SovereignClient
  /** Address of the wallet, with an EIP-55 checksum. */
  address: string
  /** Standing of the wallet. Only an `admin` wallet has an account to show. */
  standing: Standing
  wallet: ConnectedWallet
}

export type ConnectedWallet = {
  /** Name that the wallet announces for itself. */
  name: string
  /** Unguarded provider of the wallet. Used only to listen for the wallet's events. */
  announced: Eip1193Provider
  opened: OpenedWallet
  signing: Signing
  /** Aborts all pending requests to the wallet, and removes the signing dialog. */
  end: () => void
}

export type Connection = KeyConnection | WalletConnection

/** Returns true if a connection has full access to the account, which a usage key does not have. */
export function isWholeAccount(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}
