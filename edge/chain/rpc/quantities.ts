/** The hex forms of JSON-RPC (execution-apis, base types), checked and lowered. */
import { badAnswer } from './endpoint-failure.ts'

export const quantity = (number: number): string => `0x${number.toString(16)}`

/** @throws {EndpointFailed} @param what it is, for the message */
export function numberIn(value: unknown, what: string): number {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/i.test(value))
    throw badAnswer(`${what} is no quantity`)
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw badAnswer(`${what} is too large`)
  return number
}

/** @throws {EndpointFailed} @param bytes how many; any number where it is not given */
export function hexIn(value: unknown, what: string, bytes?: number): string {
  if (
    typeof value !== 'string' ||
    value.length % 2 !== 0 ||
    (bytes !== undefined && value.length !== 2 + 2 * bytes) ||
    !/^0x[0-9a-f]*$/i.test(value)
  )
    throw badAnswer(`${what} is no hex of ${bytes === undefined ? 'bytes' : `${bytes} bytes`}`)
  return value.toLowerCase()
}
