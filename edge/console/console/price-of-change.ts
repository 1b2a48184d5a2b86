import type { Connection } from './connection.ts'

/** Cost of a change to the account, as in "it costs a cent". */
export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? 'a cent' : 'the gas of a transaction of your wallet'
}
