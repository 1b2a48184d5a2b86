import type { Connection } from './connection.ts'

/** Returns the cost of a change to the account as text, such as "1 cent". */
export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? '1 cent' : 'the gas of a transaction from your wallet'
}
