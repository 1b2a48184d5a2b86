import { addressOf } from '../../../../shared/client/sovereign/sign.ts'
import type { WalletConnection } from '../connection.ts'
import { clientOfWallet, type Origin } from '../open.ts'
import type { ChosenWallet } from './wallet-connect.tsx'

/** Connects by a wallet, once its owner lets this page know its address. @throws {WalletRefused | WalletFailed | NoWallet} */
export async function connectWallet(
  { provider }: ChosenWallet,
  origin: Origin,
): Promise<WalletConnection> {
  const client = clientOfWallet(provider, origin)
  return { by: 'wallet', client, address: await addressOf(provider) }
}
