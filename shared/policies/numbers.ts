import { DeniedError } from './denial.ts'

export const UINT256_MAX = 2n ** 256n - 1n

const DECIMAL = /^(?:0|-?[1-9][0-9]{0,77})$/
const HEX = /^0x[0-9a-fA-F]{1,64}$/
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Reads an integer: a bigint, a safe integer, a decimal text without leading zeros, or 0x hex. Hex may have leading
 * zeros, which ethers v5 writes.
 * @throws {DeniedError} for other spellings and for numbers outside of the range
 */
export function readInteger(value: unknown, path: string, min = 0n, max = UINT256_MAX): bigint {
  const number = integerOf(value)
  if (number === undefined)
    throw new DeniedError(
      'invalid_number',
      `${path} is not an integer (write a decimal text without leading zeros)`,
    )
  if (number < min || number > max)
    throw new DeniedError(
      'invalid_number',
      `${path} is ${number < min ? 'less' : 'more'} than ${number < min ? min : max}`,
    )
  return number
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  // Negative zero is rejected, because its text has no sign.
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  return DECIMAL.test(value) || HEX.test(value) ? BigInt(value) : undefined
}

/** Returns the bytes as lower-case 0x hex. @throws {DeniedError} */
export function readBytes(value: unknown, path: string): string {
  if (typeof value !== 'string' || !HEX_BYTES.test(value))
    throw new DeniedError('invalid_hex', `${path} is not 0x and an even number of hex digits`)
  return value.toLowerCase()
}
