/** The console after sign-in. Loaded by `connect/script.tsx` when a key or a wallet is provided. */
import { render } from 'hono/jsx/dom'
import type { Connection } from './connection.ts'
import { Frame } from './frame.tsx'
import { clientOfKey, connectKey, type Origin } from './open.ts'
import type { ChosenWallet } from './wallets/wallet-connect.tsx'
import { connectWallet } from './wallets/open-with-wallet.ts'

/** A connection, with details of the account if it was just created. */
export type Opened = { connection: Connection; account?: OpenedAccount }
/** Available only right after creation; the API does not return it later. */
export type OpenedAccount = { name: string; walletAddress: string }

export async function openWithKey(apiKey: string, origin: Origin): Promise<Opened> {
  return { connection: await connectKey(apiKey, origin) }
}

export async function createAccount(
  name: string,
  origin: Origin,
): Promise<{ opened: Opened; apiKey: string; walletAddress: string }> {
  const made = await clientOfKey(undefined, origin).newAccount({ account_name: name })
  const { api_key: apiKey, wallet_address: walletAddress } = made
  const opened = { ...(await openWithKey(apiKey, origin)), account: { name, walletAddress } }
  return { opened, apiKey, walletAddress }
}

export async function openWithWallet(wallet: ChosenWallet, origin: Origin): Promise<Opened> {
  return { connection: await connectWallet(wallet, origin) }
}

export type Shown = Opened & {
  origin: Origin
  /** Stores another key, if this tab stores one already. */
  keep: (apiKey: string) => void
  disconnect: () => void
}

export function showConsole(root: HTMLElement, shown: Shown): void {
  render(<Frame {...shown} />, root)
}
