/** Checks whether an address can become the admin of an account. */
import { contractCoding } from '../../../../shared/client/sovereign/contract-coding.ts'
import type { WalletConnection } from '../connection.ts'

export type Candidate =
  | { is: 'refused'; reason: string }
  /** `address` is EIP-55 checksummed. */
  | { is: 'taken'; reason?: undefined; address: string; warnings: readonly string[] }

/**
 * Checks an address as typed.
 * @returns `taken` if it is acceptable, with warnings; `refused` with the reason otherwise
 */
export async function candidateOf(
  typed: string,
  { address: admin, wallet }: Pick<WalletConnection, 'address' | 'wallet'>,
): Promise<Candidate> {
  const { opened } = wallet
  if (!/^0x[0-9a-fA-F]{40}$/.test(typed))
    return refused('That is no address: 0x and 40 digits from 0 to 9 and a to f.')
  const coding = await contractCoding()
  let address
  try {
    address = coding.address(typed)
  } catch {
    return refused('Its capitals do not fit its digits: look for a typing error.')
  }
  if (address === admin) return refused('That is the admin now.')
  if (BigInt(address) === 0n) return refused('Nobody has that address: the account would be lost.')
  if (address.toLowerCase() === opened.place.contractAddress.toLowerCase())
    return refused(
      'That is the contract of the accounts, which sends nothing: the account would be lost.',
    )
  if ((await opened.standing(address)) !== 'none')
    return refused('That address is the admin of an account, or was: it can not be made one again.')
  const warnings = []
  if (typed !== address)
    warnings.push(
      'It came all in one case, so that a typing error shows in nothing: compare it twice.',
    )
  if (await opened.isContract(address))
    warnings.push(
      'There is a contract at this address. Take it only if it is a wallet that can call other contracts on this chain.',
    )
  return { is: 'taken', address, warnings }
}

const refused = (reason: string): Candidate => ({ is: 'refused', reason })
