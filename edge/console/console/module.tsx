/** Loaded by `connect/script.tsx` when the person provides a key or a wallet. */
import { render } from 'hono/jsx/dom'
import { Frame, type Opened, type Shown } from './frame.tsx'
import { clientOfKey, connectKey, type Origin } from './open.ts'
import type { ChosenWallet } from './wallets/wallet-connect.tsx'
import { connectWallet } from './wallets/open-with-wallet.ts'

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

export function showConsole(root: HTMLElement, shown: Shown): void {
  render(<Frame {...shown} />, root)
}
