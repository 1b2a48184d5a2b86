import { CHAIN_EVENT_ADDRESSES_MAX } from '../../shared/limits.ts'
import { type AddressList, packAddresses } from './matching/address-list.ts'

type AddressProblem = { field: string; problem: string; fix: string }

const FIX = 'Send the contract’s address: 0x followed by 40 hex digits.'

/** Returns the contracts of a chain event: one address in lower case, or a list. */
export function readAddresses({
  contract_address: address,
  addresses,
}: Record<string, unknown>):
  | { address: string }
  | { address: null; addresses: AddressList }
  | AddressProblem {
  if (addresses === undefined || addresses === null) {
    const wrong = addressProblem(address)
    return wrong
      ? { field: 'config.contract_address', ...wrong }
      : { address: String(address).toLowerCase() }
  }
  const field = 'config.addresses'
  if (address !== undefined && address !== null)
    return {
      field,
      problem: 'cannot be combined with contract_address',
      fix: 'Send only one of them.',
    }
  if (!Array.isArray(addresses)) return { field, problem: 'expected an array', fix: LIST_FIX }
  if (addresses.length === 0 || addresses.length > CHAIN_EVENT_ADDRESSES_MAX)
    return { field, problem: `${addresses.length} addresses`, fix: LIST_FIX }
  for (const [at, one] of addresses.entries()) {
    const wrong = addressProblem(one)
    if (wrong) return { field: `${field}[${at}]`, ...wrong }
  }
  const list = packAddresses(addresses.map((one) => String(one).toLowerCase()))
  return { address: null, addresses: list }
}

const LIST_FIX = `Send 1 to ${CHAIN_EVENT_ADDRESSES_MAX} addresses of contracts.`

/** Accepts upper-case, lower-case and mixed-case hex. */
export function addressProblem(address: unknown): { problem: string; fix: string } | undefined {
  if (address === undefined) return { problem: 'required', fix: FIX }
  if (typeof address !== 'string') return { problem: 'expected a string', fix: FIX }
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return { problem: 'expected 0x followed by 40 hex digits', fix: FIX }
  if (/^0x0{40}$/.test(address)) return { problem: 'the zero address has no contract', fix: FIX }
}
