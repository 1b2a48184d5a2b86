import type { ChainEventLog } from './chain-event.ts'

/** The `event` of a run that a transaction fired (docs/chain-events.md#transactions). */
export type ChainTransaction = {
  chain: ChainEventLog['chain']
  chain_id: number
  /** 0x hex in lower case, as are `input`, `selector` and `block_hash`. */
  transaction_hash: string
  transaction_index: number
  /** With EIP-55 checksum, as is `to`. */
  from: string
  /** Null if the transaction creates a contract. */
  to: string | null
  /** In wei, as decimal digits. */
  value: string
  input: string
  /** First four bytes of `input`. Null if it is shorter. */
  selector: string | null
  /** Null in blocks of Ethereum before the Byzantium fork of 2017, which have no status. */
  status: 'success' | 'reverted' | null
  gas_used: number
  block_number: number
  block_hash: string
  /** In Unix seconds. */
  block_timestamp: number
  removed: false
}
