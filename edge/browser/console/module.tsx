/** Entry point of the console. `connect/script.tsx` loads it when the person provides a key or a wallet. */
import { render } from 'preact'
import type { NewAccountDetails } from './account-header.tsx'
import { ConsoleFrame, type ConsoleProps } from './console-frame.tsx'
import type { KeyConnection } from './connection.ts'
import { createKeyClient, connectKey, type Origin } from './connect-key.ts'

export { connectKey, createKeyClient } from './connect-key.ts'
export { connectWallet } from './wallets/connect-wallet.ts'

export async function createAccount(
  name: string,
  origin: Origin,
): Promise<{ connection: KeyConnection; account: NewAccountDetails }> {
  const created = await createKeyClient(undefined, origin).newAccount({ account_name: name })
  const connection = await connectKey(created.api_key, origin)
  return { connection, account: { name, walletAddress: created.wallet_address } }
}

export function showConsole(root: HTMLElement, shown: ConsoleProps): void {
  render(<ConsoleFrame {...shown} />, root)
}
