import { formatUnits, parseUnits } from 'ethers'
import { UsageError } from '../terminal.ts'

const DECIMALS = { wei: 0, gwei: 9, ether: 18 } as const

/**
 * Parses an amount of the chain's coin, such as `21000`, `1.5gwei` or `0.01ether`. Without a unit, it is in wei.
 * @returns the amount in wei as decimal text
 * @throws {UsageError} if the text is no amount, or is not a whole number of wei
 */
export function weiOf(option: string, text: string): string {
  const [, amount, unit = 'wei'] = /^(\d+(?:\.\d+)?) ?(wei|gwei|ether)?$/.exec(text) ?? []
  const decimals = DECIMALS[unit as keyof typeof DECIMALS]
  const isWhole = amount !== undefined && (amount.split('.')[1] ?? '').length <= decimals
  if (isWhole) return String(parseUnits(amount, decimals))
  throw new UsageError(`${option}: expected an amount such as 21000, 1.5gwei or 0.01ether`)
}

/** Formats wei in the unit in which the amount is short and exact, for example `0.01 ether`. */
export function amountText(wei: string): string {
  const amount = BigInt(wei)
  if (amount >= 10n ** 14n) return `${trimmed(formatUnits(amount, 18))} ether`
  return amount >= 10n ** 6n ? `${trimmed(formatUnits(amount, 9))} gwei` : `${amount} wei`
}

const trimmed = (decimal: string) => decimal.replace(/\.0$/, '')
