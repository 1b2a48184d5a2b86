/** Whose account the console shows: what is known to this tab alone. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'

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

/** By the admin wallet of a ChainSecured account. */
export type WalletConnection = { by: 'wallet'; client: SovereignClient; address: string }

export type Connection = KeyConnection | WalletConnection

/** Whether the account itself is here, and not one of its usage keys with what that one may. */
export function isWholeAccount(connection: Connection): boolean {
  return connection.by === 'wallet' || connection.scope === 'account'
}
