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

const LOWER = /^0x[0-9a-f]*$/
const ANY_CASE = /^0x[0-9a-f]*$/i

/** @throws {EndpointFailed} @param bytes how many; any number where it is not given */
export function hexIn(value: unknown, what: string, bytes?: number): string {
  if (
    typeof value === 'string' &&
    (bytes === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * bytes)
  ) {
    // As nearly all nodes write it: ten thousand logs have a hundred thousand of them.
    if (LOWER.test(value)) return value
    if (ANY_CASE.test(value)) return value.toLowerCase()
  }
  throw badAnswer(`${what} is no hex${bytes === undefined ? '' : ` of ${bytes} bytes`}`)
}
