/** Loaded by `connect/script.tsx` when the person provides a key or a wallet. */
import { render } from 'hono/jsx/dom'
import { ConsoleFrame, type OpenedConnection, type ConsoleProps } from './console-frame.tsx'
import { createKeyClient, connectKey, type Origin } from './connect-key.ts'
import type { ChosenWallet } from './wallets/wallet-connect.tsx'
import { connectWallet } from './wallets/connect-wallet.ts'

export async function openWithKey(apiKey: string, origin: Origin): Promise<OpenedConnection> {
  return { connection: await connectKey(apiKey, origin) }
}

export async function createAccount(
  name: string,
  origin: Origin,
): Promise<{ opened: OpenedConnection; apiKey: string; walletAddress: string }> {
  const created = await createKeyClient(undefined, origin).newAccount({ account_name: name })
  const { api_key: apiKey, wallet_address: walletAddress } = created
  const opened = { ...(await openWithKey(apiKey, origin)), account: { name, walletAddress } }
  return { opened, apiKey, walletAddress }
}

export async function openWithWallet(
  wallet: ChosenWallet,
  origin: Origin,
): Promise<OpenedConnection> {
  return { connection: await connectWallet(wallet, origin) }
}

export function showConsole(root: HTMLElement, shown: ConsoleProps): void {
  render(<ConsoleFrame {...shown} />, root)
}
