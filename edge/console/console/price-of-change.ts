import type { Connection } from './connection.ts'

/** What a change of the account costs, as in "it costs a cent". */
export function priceOfChange({ by }: Connection): string {
  return by === 'key' ? 'a cent' : 'the gas of a transaction of your wallet'
}
