/** The console once there is a connection: loaded by `connect/script.tsx` when a key or a wallet is given to it. */
import { render } from 'hono/jsx/dom'
import type { Connection } from './connection.ts'
import { Frame } from './frame.tsx'
import { clientOfKey, connectKey, type Origin } from './open.ts'
import type { ChosenWallet } from './wallets/wallet-connect.tsx'
import { connectWallet } from './wallets/open-with-wallet.ts'

/** A connection, and what the person was told of its account at the beginning. */
export type Opened = { connection: Connection; account?: OpenedAccount }
/** Known to who has just made it: the API does not read it back. */
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
  /** Keeps another key in the place of the one that the tab keeps, where it keeps one. */
  keep: (apiKey: string) => void
  disconnect: () => void
}

export function showConsole(root: HTMLElement, shown: Shown): void {
  render(<Frame {...shown} />, root)
}
