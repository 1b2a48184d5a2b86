import type { ChainLog } from '../chain-log.ts'
import { hasAddress } from './address-list.ts'
import { matchesWhere } from '../where/matches-where.ts'
import type { LogFilter } from './log-filter.ts'
import { matchesTransaction, type TransactionFilter } from './transaction-filter.ts'

/** Filters with a list of addresses share the route of their event. */
export function routeKey({ address, topic0 }: Pick<LogFilter, 'address' | 'topic0'>): string {
  return `${address ?? '*'}|${topic0}`
}

/** Returns the route of filters with a list of addresses for the event of a route. */
export function listRouteKey(route: string): string {
  return `*${route.slice(route.indexOf('|'))}`
}

/** Never throws: a log without topics gets a key that no filter has. */
export function logRouteKey({ address, topics }: Pick<ChainLog, 'address' | 'topics'>): string {
  return routeKey({ address, topic0: topics[0] ?? '' })
}

export function hasContract(
  filter: Pick<LogFilter, 'address' | 'addresses'>,
  address: string,
): boolean {
  if (filter.address !== null) return address === filter.address
  return filter.addresses !== undefined && hasAddress(filter.addresses, address)
}

/** Applied to every log, because endpoints are not trusted to filter correctly. */
export function matchesFilter(
  filter: LogFilter,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'> &
    Partial<Pick<ChainLog, 'blockNumber' | 'logIndex' | 'transaction'>>,
): boolean {
  const { address, topics } = log
  return (
    topics[0] === filter.topic0 &&
    (filter.factory ? isCreatedBefore(filter, log) : hasContract(filter, address)) &&
    filter.topics.every((allowed, place) => {
      const topic = topics[place + 1]
      return allowed === null || (topic !== undefined && allowed.includes(topic))
    }) &&
    (filter.transactions === undefined || matchesMark(filter.transactions, log)) &&
    (filter.every === undefined || log.blockNumber! % filter.every === 0) &&
    (filter.where === undefined || matchesWhere(filter.where, log))
  )
}

/** Logs that a contract emitted before the factory named it do not match. */
function isCreatedBefore(
  { learned }: LogFilter,
  {
    address,
    blockNumber,
    logIndex,
  }: Pick<ChainLog, 'address'> & Partial<Pick<ChainLog, 'blockNumber' | 'logIndex'>>,
): boolean {
  return (
    learned !== undefined && learned.isBefore(address, { block: blockNumber!, logIndex: logIndex! })
  )
}

function matchesMark(
  filter: TransactionFilter,
  { transaction, data }: Pick<ChainLog, 'data'> & Partial<Pick<ChainLog, 'transaction'>>,
): boolean {
  return transaction !== undefined && matchesTransaction(filter, { ...transaction, input: data })
}
