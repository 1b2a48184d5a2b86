import type { Connection } from './connection.ts'

/** Cost of a change to the account, such as "1 cent". */
export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? '1 cent' : 'the gas of a transaction from your wallet'
}
