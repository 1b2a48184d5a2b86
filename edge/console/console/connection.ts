/** Whose account the console shows: what is known to this tab alone. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'

/** By the account key or a usage key, which the client holds. The views ask it under the names that both modes share. */
export type KeyConnection = { by: 'key'; client: ApiClient; apiKey: string }

/** By the admin wallet of a ChainSecured account. */
export type WalletConnection = { by: 'wallet'; client: SovereignClient; address: string }

export type Connection = KeyConnection | WalletConnection
