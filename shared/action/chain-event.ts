/** The `event` of a run that a chain event fired (docs/chain-events.md#what-the-action-gets). */

/**
 * Decoded value of an argument. Integers are decimal strings, byte strings are 0x hex, addresses have their checksum, and
 * arrays and tuples are arrays.
 */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * A log, and its arguments. `Args` are the types of the arguments in the order of the declaration.
 * @example
 * type Transfer = ChainEvent<[from: string, to: string, value: string]>
 */
export type ChainEvent<Args extends readonly DecodedValue[] = readonly DecodedValue[]> =
  ChainEventLog & Decoding<Args>

/** One way to read a log. */
export type ChainEventReading<Args extends readonly DecodedValue[] = readonly DecodedValue[]> = {
  decoded: DecodedArguments<Args>
  /** Positions of the arguments that are stored in topics. */
  indexed: number[]
  /** Names of the indexed arguments of a dynamic type, whose topic is the hash of the value. */
  indexed_hash: string[]
}

/** `{ arg0: string, arg1: string }` for `[string, string]`. */
type DecodedArguments<Args extends readonly DecodedValue[]> = number extends Args['length']
  ? Record<`arg${number}`, Args[number]>
  : { [Key in keyof Args as Key extends `${number}` ? `arg${Key}` : never]: Args[Key] }

type Decoding<Args extends readonly DecodedValue[]> =
  | ({ decode: 'exact' | 'inferred' } & ChainEventReading<Args>)
  | ({
      /** Several readings fit the log. `decoded` is the best guess. */
      decode: 'ambiguous'
      readings: ChainEventReading<Args>[]
      /** Number of further readings. Absent if zero. */
      readings_omitted?: number
    } & ChainEventReading<Args>)
  | {
      decode: 'raw'
      decoded: null
      indexed: null
      indexed_hash: string[]
      /** Why the log could not be decoded. */
      decode_error: string
    }

/** The log and its position. Hex is in lower case, except in addresses, which have their EIP-55 checksum. */
export type ChainEventLog = {
  chain: 'ethereum' | 'base' | 'arbitrum' | 'bsc' | 'polygon'
  chain_id: number
  contract_address: string
  /** As configured in the trigger. */
  event_signature: string
  topic0: string
  topics: readonly string[]
  data: string
  block_number: number
  block_hash: string
  /** In Unix seconds. */
  block_timestamp: number
  transaction_hash: string
  transaction_index: number
  log_index: number
  /** The log in the form of `eth_getLogs`. Quantities are 0x hex. */
  raw_log: {
    address: string
    topics: readonly string[]
    data: string
    blockNumber: string
    blockHash: string
    blockTimestamp: string
    transactionHash: string
    transactionIndex: string
    logIndex: string
    removed: false
  }
  removed: false
}
