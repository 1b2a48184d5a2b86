import { getAddress } from 'ethers'
import { DeniedError } from './denial.ts'
import type { Notation } from './numbers.ts'

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const UPPER_CASE = /^0x[0-9A-F]{40}$/

/** Returns true for an address in lower case, or in mixed case with a valid EIP-55 checksum. */
export function hasValidCase(address: string): boolean {
  const lower = address.toLowerCase()
  return address === lower || address === getAddress(lower)
}

/**
 * Returns the address in lower case.
 * @throws {DeniedError} for any other spelling of an address, because programs interpret these differently
 */
export function readAddress(value: unknown, path: string, notation: Notation = 'strict'): string {
  if (typeof value !== 'string' || !ADDRESS.test(value)) {
    const isName = typeof value === 'string' && /^[^.\s]+(\.[^.\s]+)+$/u.test(value)
    throw new DeniedError(
      isName ? 'ens_name' : 'invalid_address',
      `${path}: expected an address, 0x and 40 hex digits${isName ? ', instead of a name' : ''}`,
    )
  }
  const isAccepted = hasValidCase(value) || (notation === 'ethers' && UPPER_CASE.test(value))
  if (!isAccepted)
    throw new DeniedError(
      'bad_checksum',
      `${path}: the checksum of the address is wrong; correct the address, or write it in lower case`,
    )
  return value.toLowerCase()
}
