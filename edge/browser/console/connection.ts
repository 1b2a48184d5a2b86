/** Exists only in this tab. */
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
  /** keccak256 of the key's text in 0x hex. Identifies the key on the chain and in statements. */
  keyHash: string
  /** `billing` is the key of a converted account, which is valid only for `billing/*`. */
  scope: 'account' | 'usage' | 'billing'
}

/** The client uses the wallet through a guarded provider (`chain-secured/guarded-provider.ts`). */
export type WalletConnection = {
  by: 'wallet'
  client: SovereignClient
  /** With an EIP-55 checksum. */
  address: string
  /** Only an `admin` wallet has an account to show. */
  adminStatus: AdminStatus
  wallet: ConnectedWallet
}

type ConnectedWallet = {
  name: string
  /** Unguarded. Used only to listen for the wallet's events. */
  unguardedProvider: Eip1193Provider
  opened: OpenedWallet
  signing: Signing
  /** Aborts all pending requests to the wallet, and removes the signing dialog. */
  end: () => void
}

export type Connection = KeyConnection | WalletConnection

/** False for usage keys and billing keys. */
export function hasFullAccess(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}

/** Cost of a change to the account, such as "1 cent". */
export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? '1 cent' : 'the gas of a transaction from your wallet'
}

/** State that is kept while another view is open. It is never shown for another account. */
export function perConnection<State>(create: () => State): (connection: Connection) => State {
  const states = new WeakMap<Connection, State>()
  return (connection) => {
    const state = states.get(connection) ?? create()
    states.set(connection, state)
    return state
  }
}
