import { getAddress } from 'ethers'
import { DeniedError } from './denial.ts'

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Returns true for an address in lower case, or in mixed case with a valid EIP-55 checksum. */
export function hasValidCase(address: string): boolean {
  const lower = address.toLowerCase()
  return address === lower || address === getAddress(lower)
}

/**
 * Returns the address in lower case.
 * @throws {DeniedError} for any other spelling of an address, because programs interpret these differently
 */
export function readAddress(value: unknown, path: string): string {
  if (typeof value !== 'string')
    throw new DeniedError('invalid_address', `${path} is not an address`)
  if (!ADDRESS.test(value)) {
    const isName = /^[^.\s]+(\.[^.\s]+)+$/u.test(value)
    throw isName
      ? new DeniedError('ens_name', `${path} is a name instead of an address`)
      : new DeniedError('invalid_address', `${path} is not 0x and 40 hex digits`)
  }
  if (!hasValidCase(value)) throw new DeniedError('bad_checksum', `${path} has an invalid checksum`)
  return value.toLowerCase()
}
