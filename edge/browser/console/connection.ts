import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { OpenedWallet } from '../chain-secured/open-wallet.ts'
import type { AdminStatus } from '../chain-secured/admin-status.ts'
import type { Signing } from './wallets/signing.ts'

/** Views use only operations that key and wallet connections share. */
export type KeyConnection = {
  by: 'key'
  client: ApiClient
  apiKey: string
  /** keccak256 hash of the key's text in 0x hex. It identifies the key on the chain and in statements. */
  keyHash: string
  /** Scope of the key. `billing` is the key of a converted account, which is valid only for `billing/*`. */
  scope: 'account' | 'usage' | 'billing'
}

/**
 * Connection with a wallet. The client uses the wallet through a guarded provider
 * (`chain-secured/guarded-provider.ts`).
 */
export type WalletConnection = {
  by: 'wallet'
  client: SovereignClient
  /** Address of the wallet, with an EIP-55 checksum. */
  address: string
  /** Admin status of the wallet. Only the wallet of an `admin` has an account to show. */
  adminStatus: AdminStatus
  wallet: ConnectedWallet
}

type ConnectedWallet = {
  name: string
  /** Provider of the wallet without the guard. It is used only to listen for the wallet's events. */
  unguardedProvider: Eip1193Provider
  opened: OpenedWallet
  signing: Signing
  /** Ends the connection: aborts all pending requests to the wallet, and removes the signing dialog. */
  end: () => void
}

export type Connection = KeyConnection | WalletConnection

/** Returns true if the connection may use all operations. Usage keys and billing keys may not. */
export function hasFullAccess(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}

export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? '1 cent' : 'the gas of a transaction from your wallet'
}

/**
 * Creates state per connection, which is preserved while another view is open. The state is never shown for another
 * account.
 */
export function perConnection<State>(create: () => State): (connection: Connection) => State {
  const states = new WeakMap<Connection, State>()
  return (connection) => {
    const state = states.get(connection) ?? create()
    states.set(connection, state)
    return state
  }
}
