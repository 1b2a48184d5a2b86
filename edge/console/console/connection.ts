/** Whose account the console shows: what is known to this tab alone. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import type { OpenedWallet } from '../chain-secured/open-wallet.ts'
import type { Standing } from '../chain-secured/standing.ts'
import type { Signing } from './wallets/signing.ts'

/** By the account key or a usage key, which the client holds. The views ask it under the names that both modes share. */
export type KeyConnection = {
  by: 'key'
  client: ApiClient
  apiKey: string
  /** keccak256 of the key's text, 0x hex: by which the chain and statements name it. */
  keyHash: string
  /** `billing`: the key of an account that was converted, good for `billing/*` alone. */
  scope: 'account' | 'usage' | 'billing'
}

/** By a wallet, which the client asks through a guard (`chain-secured/guarded-provider.ts`). */
export type WalletConnection = {
  by: 'wallet'
  client: SovereignClient
  /** EIP-55. */
  address: string
  /** Only an admin has an account to show. */
  standing: Standing
  wallet: ConnectedWallet
}

export type ConnectedWallet = {
  /** As it calls itself. */
  name: string
  /** Without the guard: for what it tells by itself alone. */
  announced: Eip1193Provider
  opened: OpenedWallet
  signing: Signing
  /** Ends all that is asked of it. */
  end: () => void
}

export type Connection = KeyConnection | WalletConnection

/** Whether the account itself is here, and not one of its usage keys with what that one may. */
export function isWholeAccount(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}
