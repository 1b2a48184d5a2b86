import { isUserRejection } from './provider-errors.ts'
import type { WalletAdapter } from './signer.ts'
import { WalletFailed, WalletRefused, WrongChain } from './wallet-failures.ts'

/**
 * Requires the wallet to be on the chain. Asks a browser wallet once to switch.
 * @throws {WrongChain | WalletRefused | WalletFailed}
 */
export async function requireChain(wallet: WalletAdapter, chainId: bigint): Promise<void> {
  const before = await chainOf(wallet)
  if (before === chainId) return
  if (!wallet.switchChain) throw new WrongChain(before, chainId)
  try {
    await wallet.switchChain(`0x${chainId.toString(16)}`)
  } catch (error) {
    if (isUserRejection(error)) throw new WalletRefused(`change to chain ${chainId}`)
    // The code is usually 4902, which means that the wallet does not have this chain.
    throw new WrongChain(before, chainId)
  }
  const after = await chainOf(wallet)
  if (after !== chainId) throw new WrongChain(after, chainId)
}

async function chainOf(wallet: WalletAdapter): Promise<bigint> {
  let answer: unknown
  try {
    answer = await wallet.read('eth_chainId', [])
  } catch {
    throw new WalletFailed('report its chain', 'its node does not respond')
  }
  if (typeof answer !== 'string' || !/^0x[0-9a-f]+$/i.test(answer))
    throw new WalletFailed('report its chain', 'its response is not 0x hex')
  return BigInt(answer)
}
