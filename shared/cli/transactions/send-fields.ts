import { FunctionFragment, Interface } from 'ethers'
import type { TransactionSpeed } from '../../wire/transaction-states.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { withoutUndefined } from '../../json/without-undefined.ts'
import { UsageError } from '../terminal.ts'
import { weiOf } from './amounts.ts'

export type GivenTransaction = {
  wallet: string
  chain: string
  to: string
  value?: string
  call?: string
  arg?: string[]
  data?: string
  gas?: string
  maxFee?: string
  speed?: TransactionSpeed
  error?: string[]
}

/**
 * Converts command-line options to the fields of `send_transaction`.
 * @throws {UsageError} if an amount or a call is invalid
 */
export function sendFields(given: GivenTransaction) {
  const { wallet, chain, to, value, gas, maxFee, speed, error } = given
  return withoutUndefined({
    pkp_id: wallet,
    chain,
    to,
    value: value === undefined ? undefined : weiOf('--value', value),
    data: dataOf(given),
    gas,
    max_fee_per_gas: maxFee === undefined ? undefined : weiOf('--max-fee', maxFee),
    speed,
    errors: error,
  })
}

function dataOf({ call, arg = [], data }: GivenTransaction): string | undefined {
  if (call !== undefined && data !== undefined)
    throw new UsageError('use either --call or --data, not both')
  if (call === undefined && arg.length > 0) throw new UsageError('--arg needs --call')
  return call === undefined ? data : encodedCall(call, arg)
}

/** @throws {UsageError} with the reason of ethers, such as a missing argument or an invalid address */
function encodedCall(signature: string, args: readonly string[]): string {
  try {
    const declared = FunctionFragment.from(signature.replace(/^(?!function )/, 'function '))
    return new Interface([declared]).encodeFunctionData(declared, args.map(argumentOf))
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(' (')[0] : String(error)
    throw new UsageError(`--call ${signature}: ${reason}`)
  }
}

/** Arrays, tuples and booleans are JSON. Other values are text, because JSON would round large integers. */
function argumentOf(text: string): unknown {
  return /^(\[.*\]|\{.*\}|true|false)$/s.test(text) ? (tryParseJson(text) ?? text) : text
}
