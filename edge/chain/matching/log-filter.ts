import type { FactoryFilter } from '../factory/factory-filter.ts'
import type { LearnedContracts } from '../factory/learned-contracts.ts'
import { type AddressList, addressesOf } from './address-list.ts'
import type { TransactionFilter } from './transaction-filter.ts'
import type { WhereFilter } from '../where/where-filter.ts'

/** Log filter of one trigger, with lower-case hex values. */
export type LogFilter = {
  /** Null if the filter has a list of addresses, or a factory. */
  address: string | null
  addresses?: AddressList
  /** The filter matches contracts that a factory created. */
  factory?: FactoryFilter
  /** Contracts of the factory, which only the chain's watcher knows. */
  learned?: LearnedContracts
  topic0: string
  /** Allowed values of each topic after the first. Null allows any value. Trailing nulls are omitted. */
  topics: (readonly string[] | null)[]
  /** Conditions on the decoded arguments, which no query to a node contains. Absent if there are none. */
  where?: WhereFilter
  /** The filter matches the mark of each block whose number is divisible by this, and no logs (`block-mark.ts`). */
  every?: number
  /** The filter matches the marks of these transactions, and no logs (`transaction-mark.ts`). */
  transactions?: TransactionFilter
}

/**
 * Parameters of one `eth_getLogs` request. A query that merges several filters matches every combination of their
 * values, so it may match logs that none of the filters matches.
 */
export type LogQuery = {
  /** Null matches logs of any contract. */
  addresses: readonly string[] | null
  /** Contracts of interest of a query that matches any contract, to narrow it if its response would be too large. */
  among?: () => readonly string[]
  /** Allowed values of topics 0 to 3. Null allows any value. */
  topics: readonly (readonly string[] | null)[]
}

/** The zero address, which never emits logs. */
const NO_CONTRACT = `0x${'0'.repeat(40)}`

/** Returns a query for the logs of a filter. The caller applies `where` to the result. */
export function toLogQuery(filter: LogFilter): LogQuery {
  const addresses = [...filterAddresses(filter)]
  // Nodes take an empty list as any address.
  return {
    addresses: addresses.length > 0 ? addresses : [NO_CONTRACT],
    topics: [[filter.topic0], ...filter.topics],
  }
}

export function filterAddresses({ address, addresses, learned }: LogFilter): Iterable<string> {
  if (address !== null) return [address]
  if (learned) return addressesOf(learned.list)
  return addresses ? addressesOf(addresses) : []
}
