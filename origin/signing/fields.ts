/**
 * Readers for the input of signing operations. The input is JSON from an action, so it can have any shape. Errors name
 * the field, and never repeat its value, which may be long.
 */
import { getAddress } from 'ethers'
import { SIGNING_INPUT_MAX_BYTES } from '../../shared/limits.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'

/** The action passed something that cannot be signed. The message is shown to the action's author. */
export class SigningInputError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SigningInputError'
  }
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/
/** Up to 256 bits, in the notations of ethers v5. */
const INTEGER = /^(-?)(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/

/** A parsed JSON object without a prototype, so that a lookup finds only its own members. */
export type Members = Record<string, unknown>

export function readJson(text: string, path: string): unknown {
  const value = tryParseJson(text)
  if (value === undefined) throw new SigningInputError(`${path}: expected JSON`)
  return value
}

export function readMembers(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SigningInputError(`${path}: expected an object`)
  return Object.setPrototypeOf(value, null) as Members
}

export function readList(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new SigningInputError(`${path}: expected an array`)
  return value
}

export function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new SigningInputError(`${path}: expected a string`)
  if (!value.isWellFormed())
    throw new SigningInputError(`${path}: contains a lone surrogate, which UTF-8 cannot encode`)
  return value
}

export function readInteger(value: unknown, path: string): bigint {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    throw new SigningInputError(
      `${path}: expected an integer below 2^53; pass larger ones as a string, BigInt or BigNumber`,
    )
  }
  const [, minus, digits] = (typeof value === 'string' && INTEGER.exec(value)) || []
  if (digits === undefined)
    throw new SigningInputError(
      `${path}: expected an integer of at most 256 bits, as a number, decimal or 0x hex string, BigInt or BigNumber`,
    )
  return minus === '-' ? -BigInt(digits) : BigInt(digits)
}

/** Returns the EIP-55 address. */
export function readAddress(value: unknown, path: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value))
    throw new SigningInputError(`${path}: expected an address, 0x and 40 hex digits`)
  try {
    return getAddress(value)
  } catch {
    throw new SigningInputError(
      `${path}: the checksum of the address is wrong; correct the address, or write it in lower case`,
    )
  }
}

/**
 * Reads bytes as 0x hex, or as a list of numbers like ethers v5.
 * @returns 0x hex
 */
export function readBytes(value: unknown, path: string): string {
  if (Array.isArray(value) && value.every(isByte)) return readHex(hexOf(value), path)
  return readHex(value, path)
}

function readHex(value: unknown, path: string): string {
  if (typeof value !== 'string' || !BYTES.test(value))
    throw new SigningInputError(
      `${path}: expected bytes, as 0x hex with an even number of digits or a Uint8Array`,
    )
  const bytes = value.length / 2 - 1
  if (bytes > SIGNING_INPUT_MAX_BYTES)
    throw new SigningInputError(
      `${path}: has ${bytes} bytes; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    )
  return value
}

const isByte = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255

const hexOf = (bytes: number[]) => `0x${Buffer.from(bytes).toString('hex')}`
