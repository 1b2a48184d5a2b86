import { loadContractCodec } from '../../../../shared/client/sovereign/contract-codec.ts'
import type { WalletConnection } from '../connection.ts'

export type AdminCandidate =
  | { is: 'refused'; reason: string }
  /** The address has an EIP-55 checksum. */
  | { is: 'taken'; reason?: undefined; address: string; warnings: readonly string[] }

export async function checkCandidate(
  typed: string,
  { address: admin, wallet }: Pick<WalletConnection, 'address' | 'wallet'>,
): Promise<AdminCandidate> {
  const { opened } = wallet
  if (!/^0x[0-9a-fA-F]{40}$/.test(typed))
    return refused('Invalid address: expected 0x followed by 40 hex digits.')
  const coding = await loadContractCodec()
  let address
  try {
    address = coding.address(typed)
  } catch {
    return refused('Invalid checksum: check the address for typing errors.')
  }
  if (address === admin) return refused('This wallet is already the admin.')
  if (BigInt(address) === 0n)
    return refused('Nobody controls the zero address, so you would lose access to the account.')
  if (address.toLowerCase() === opened.chain.contractAddress.toLowerCase())
    return refused(
      'This is the address of the accounts contract. The contract cannot send transactions, so you would lose access to the account.',
    )
  if ((await opened.adminStatus(address)) !== 'none')
    return refused(
      'This wallet is or was the admin of an account, and cannot become an admin again.',
    )
  const warnings = []
  if (typed !== address)
    warnings.push(
      'This address has no checksum, so typing errors cannot be detected. Compare it carefully.',
    )
  if (await opened.isContract(address))
    warnings.push(
      'This address is a contract. Use it only if it is a wallet that can call other contracts on this chain.',
    )
  return { is: 'taken', address, warnings }
}

const refused = (reason: string): AdminCandidate => ({ is: 'refused', reason })
