import { encodeHex } from '../encoding/hex.ts'
import { type AbiType, type AbiValue, headWords, isDynamic } from './abi-type.ts'

const WORD_DIGITS = 64
const text = new TextEncoder()

/**
 * Returns the canonical ABI encoding of a list of values (Solidity ABI specification, "Formal Specification of the
 * Encoding") as hex digits without 0x.
 */
export function encodeArguments(types: readonly AbiType[], values: readonly AbiValue[]): string {
  let heads = ''
  let tails = ''
  const headLength = types.reduce((sum, type) => sum + headWords(type), 0) * (WORD_DIGITS / 2)
  for (const [index, type] of types.entries()) {
    const encoded = encodeValue(type, values[index]!)
    if (isDynamic(type)) {
      heads += wordOf(BigInt(headLength + tails.length / 2))
      tails += encoded
    } else heads += encoded
  }
  return heads + tails
}

function encodeValue(type: AbiType, value: AbiValue): string {
  switch (type.kind) {
    case 'tuple':
      return encodeArguments(
        type.members.map((member) => member.type),
        value as readonly AbiValue[],
      )
    case 'array': {
      const elements = value as readonly AbiValue[]
      const body = encodeArguments(
        elements.map(() => type.of),
        elements,
      )
      return type.length === null ? wordOf(BigInt(elements.length)) + body : body
    }
    case 'string':
      return encodeBytes(encodeHex(text.encode(value as string)))
    case 'bytes':
      return encodeBytes((value as string).slice(2))
    case 'fixed_bytes':
      return (value as string).slice(2).padEnd(WORD_DIGITS, '0')
    case 'address':
      return (value as string).slice(2).padStart(WORD_DIGITS, '0')
    case 'bool':
      return wordOf(value === true ? 1n : 0n)
    case 'uint':
    case 'int':
      return wordOf(value as bigint)
  }
}

function encodeBytes(digits: string): string {
  const padded = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS
  return wordOf(BigInt(digits.length / 2)) + digits.padEnd(padded, '0')
}

/** Negative numbers are written in two's complement. */
const wordOf = (number: bigint) =>
  BigInt.asUintN(256, number).toString(16).padStart(WORD_DIGITS, '0')
