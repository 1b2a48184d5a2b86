/** Quantities and byte strings as JSON-RPC encodes them in hex (execution-apis, base types), in lower case. */
import { badResponse } from './endpoint-error.ts'

export const encodeQuantity = (number: number): string => `0x${number.toString(16)}`

/** @throws {EndpointError} if the value is not a quantity or is too large */
export function parseQuantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/i.test(value))
    throw badResponse(`${what} is not a quantity`)
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw badResponse(`${what} is too large`)
  return number
}

/** @throws {EndpointError} if the value is not a quantity of at most 256 bits */
export function parseBigQuantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i.test(value))
    throw badResponse(`${what} is not a quantity`)
  return BigInt(value)
}

const LOWER = /^0x[0-9a-f]*$/
const ANY_CASE = /^0x[0-9a-f]*$/i

/**
 * @param bytes required length; any length is accepted if absent
 * @throws {EndpointError} if the value is not hex or has another length
 */
export function parseHex(value: unknown, what: string, bytes?: number): string {
  if (
    typeof value === 'string' &&
    (bytes === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * bytes)
  ) {
    // Fast path: nearly all nodes return lower case, and ten thousand logs contain a hundred thousand hex values.
    if (LOWER.test(value)) return value
    if (ANY_CASE.test(value)) return value.toLowerCase()
  }
  throw badResponse(`${what} is not hex${bytes === undefined ? '' : ` of ${bytes} bytes`}`)
}
