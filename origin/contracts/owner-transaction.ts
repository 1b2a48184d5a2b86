import { Contract, Interface, isError, ZeroAddress, type Provider } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import artifacts from './artifacts.json' with { type: 'json' }
import type { DiamondCut } from './upgrade.ts'

/** A transaction that only one address may send: the contract's owner, or its nominee. */
export type OwnerTransaction = { to: string; value: '0'; data: string }

const diamond = new Interface(artifacts.diamond.abi)
const accountConfig = new Interface(accountConfigAbi)

/** @param cut from `prepareUpgrade` */
export function upgradeTransaction(address: string, cut: DiamondCut): OwnerTransaction {
  const data = diamond.encodeFunctionData('diamondCut', cut)
  return { to: address, value: '0', data }
}

export function payersTransaction(
  address: string,
  payers: readonly string[],
  allowed: boolean,
): OwnerTransaction {
  const data = accountConfig.encodeFunctionData('setApiPayers', [payers, allowed])
  return { to: address, value: '0', data }
}

/** Sent by the nominee of `transferOwnership`. */
export function acceptanceTransaction(address: string): OwnerTransaction {
  return { to: address, value: '0', data: diamond.encodeFunctionData('acceptOwnership') }
}

/**
 * Returns checksummed addresses. The nominee is null unless a transfer of the ownership waits for its acceptance.
 * @throws {Error} if there is no contract at the address
 */
export async function ownersOf(
  provider: Provider,
  address: string,
): Promise<{ owner: string; nominee: string | null }> {
  if ((await provider.getCode(address)) === '0x')
    throw new Error(`there is no contract at ${address}`)
  const contract = new Contract(address, artifacts.diamond.abi, provider)
  const owner: string = await contract.getFunction('owner')()
  const nominee: string = await contract.getFunction('nomineeOwner')()
  return { owner, nominee: nominee === ZeroAddress ? null : nominee }
}

/**
 * Executes the transaction with `eth_call`, so that a transaction that would revert is not sent or proposed.
 * @throws {Error} with the name of the contract's error
 */
export async function simulate(
  provider: Provider,
  { to, data }: OwnerTransaction,
  from: string,
): Promise<void> {
  try {
    await provider.call({ from, to, data })
  } catch (error) {
    if (!isError(error, 'CALL_EXCEPTION')) throw error
    const revert = error.data ?? '0x'
    const reason = diamond.parseError(revert) ?? accountConfig.parseError(revert)
    throw new Error(`the transaction would revert: ${reason?.name ?? 'no reason given'}`, {
      cause: error,
    })
  }
}
