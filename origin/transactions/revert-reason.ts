import { AbiCoder, ErrorFragment, Interface } from 'ethers'
import type { RpcFailure } from './rpc-failure.ts'

/** Texts of contracts can have any length, and are shown in lists. */
const REASON_MAX_CHARACTERS = 500

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'

/** Codes of `Panic(uint256)` in the documentation of Solidity. */
const PANICS: Readonly<Record<string, string>> = {
  '0x00': 'compiler panic',
  '0x01': 'assertion failed',
  '0x11': 'arithmetic overflow or underflow',
  '0x12': 'division by zero',
  '0x21': 'invalid enum value',
  '0x22': 'invalid storage byte array',
  '0x31': 'pop of an empty array',
  '0x32': 'array index out of bounds',
  '0x41': 'too much memory',
  '0x51': 'call of an uninitialized function',
}

/**
 * Explains a revert.
 * @param errors signatures of the contract's errors, such as `error Paused(uint256 until)`; invalid ones are ignored
 */
export function revertReason(failure: RpcFailure, errors: readonly string[] = []): string {
  const { data, message } = failure
  const reason = data !== undefined && data.length >= 10 ? reasonOf(data, errors) : undefined
  return shorten(reason ?? (message === '' ? 'reverted without a reason' : message))
}

function reasonOf(data: string, errors: readonly string[]): string {
  const [selector, args] = [data.slice(0, 10), `0x${data.slice(10)}`]
  return (
    (selector === ERROR_SELECTOR ? decodeOne('string', args) : undefined) ??
    (selector === PANIC_SELECTOR ? panicOf(args) : undefined) ??
    customError(data, errors) ??
    `custom error ${selector}; pass its signature in errors to decode it`
  )
}

function panicOf(args: string): string | undefined {
  const code = decodeOne('uint256', args)
  if (code === undefined) return undefined
  const hex = `0x${BigInt(code).toString(16).padStart(2, '0')}`
  return `Panic(${hex})${PANICS[hex] === undefined ? '' : `: ${PANICS[hex]}`}`
}

function decodeOne(type: string, args: string): string | undefined {
  try {
    return String(AbiCoder.defaultAbiCoder().decode([type], args)[0])
  } catch {
    return undefined
  }
}

function customError(data: string, errors: readonly string[]): string | undefined {
  for (const signature of errors)
    try {
      // Parsed first, because an interface prints invalid signatures to the console.
      const parsed = new Interface([ErrorFragment.from(signature)]).parseError(data)
      if (!parsed) continue
      const args = parsed.fragment.inputs.map(({ name }, index) => {
        const value = textOf(parsed.args[index])
        return name === '' ? value : `${name}: ${value}`
      })
      return `${parsed.name}(${args.join(', ')})`
    } catch {
      // Not a signature, or not the arguments that it declares.
    }
  return undefined
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The database rejects half of a surrogate pair, and with it all updates that are written together. */
function shorten(text: string): string {
  const printable = text.replace(/\p{Cc}+/gu, ' ').trim()
  if (printable.length <= REASON_MAX_CHARACTERS) return printable.toWellFormed()
  return `${printable.slice(0, REASON_MAX_CHARACTERS - 1).toWellFormed()}…`
}
