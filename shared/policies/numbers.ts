import { encodeHex } from '../encoding/hex.ts'
import { SIGNING_INPUT_MAX_BYTES } from '../limits.ts'
import { DeniedError } from './denial.ts'

/**
 * Accepted notation of a request. `strict` accepts only values that all programs read in the same way. `ethers` also
 * accepts what ethers v5 accepts: decimal numbers with leading zeros, addresses in upper case, and missing transaction
 * fields.
 */
export type Notation = 'strict' | 'ethers'

export const UINT256_MAX = 2n ** 256n - 1n
const INT256_MIN = -(2n ** 255n)
export const SAFE_INTEGER_MAX = BigInt(Number.MAX_SAFE_INTEGER)

const INTEGER = /^(-?)(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/
/** Also matches -0. */
const LEADING_ZERO = /^-?0[0-9]|^-0$/
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Reads an integer: a bigint, a safe integer, decimal text, or 0x hex. Hex can be negative and have leading zeros, as
 * written by ethers v5.
 * @throws {DeniedError}
 */
export function readInteger(value: unknown, path: string, notation: Notation): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw invalid(
      `${path}: expected an integer below 2^53; pass larger ones as a string, BigInt or BigNumber`,
    )
  const number = integerOf(value, notation)
  if (number !== undefined && number >= INT256_MIN && number <= UINT256_MAX) return number
  throw invalid(
    `${path}: expected an integer of at most 256 bits, as a number, decimal${notation === 'strict' ? ' without leading zeros' : ''} or 0x hex string, BigInt or BigNumber`,
  )
}

const invalid = (problem: string) => new DeniedError('invalid_number', problem)

function integerOf(value: unknown, notation: Notation): bigint | undefined {
  if (typeof value === 'bigint') return value
  const text = Object.is(value, -0) ? '-0' : typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || (notation === 'strict' && LEADING_ZERO.test(text)))
    return undefined
  const [, minus, digits] = INTEGER.exec(text) ?? []
  if (digits === undefined) return undefined
  return minus === '-' ? -BigInt(digits) : BigInt(digits)
}

/** @param max a power of 2, minus 1 @throws {DeniedError} for a negative integer, or one above the maximum */
export function readUint(
  value: unknown,
  path: string,
  notation: Notation,
  max = UINT256_MAX,
): bigint {
  const number = readInteger(value, path, notation)
  if (number >= 0n && number <= max) return number
  const bits = max.toString(2).length
  throw invalid(`${path}: expected an integer from 0 to 2^${bits} - 1`)
}

/** Reads a chain ID in strict notation. @throws {DeniedError} for 0, which means every chain */
export function readChain(value: unknown, path: string): bigint {
  if (value === undefined)
    throw new DeniedError('chain_missing', `${path}: missing; name one chain`)
  const chainId = readUint(value, path, 'strict', SAFE_INTEGER_MAX)
  if (chainId === 0n) throw new DeniedError('chain_zero', `${path}: is 0; name one chain`)
  return chainId
}

/** Reads bytes as 0x hex, or as a list of numbers. Returns lower-case 0x hex. @throws {DeniedError} */
export function readBytes(value: unknown, path: string): string {
  if (Array.isArray(value) && value.every(isByte))
    return readHex(`0x${encodeHex(Uint8Array.from(value))}`, path)
  return readHex(value, path)
}

/** Reads bytes as 0x hex. Returns lower-case 0x hex. @throws {DeniedError} */
export function readHex(value: unknown, path: string): string {
  if (typeof value !== 'string' || !HEX_BYTES.test(value))
    throw new DeniedError(
      'invalid_hex',
      `${path}: expected bytes, as 0x hex with an even number of digits or a Uint8Array`,
    )
  const bytes = byteLength(value)
  if (bytes > SIGNING_INPUT_MAX_BYTES)
    throw new DeniedError(
      'data_too_long',
      `${path}: has ${bytes} bytes; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    )
  return value.toLowerCase()
}

/** @throws {DeniedError} */
export function requireBytes(hex: string, length: number, path: string): string {
  if (byteLength(hex) === length) return hex
  throw new DeniedError('invalid_hex', `${path}: has ${byteLength(hex)} bytes; expected ${length}`)
}

const byteLength = (hex: string) => hex.length / 2 - 1

const isByte = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
