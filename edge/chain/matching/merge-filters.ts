/** Merges log filters into shared queries, so that polling for many triggers costs no more than polling for one. */
import { LOG_QUERY_ADDRESSES_MAX, LOG_QUERY_TOPICS_MAX } from '../../../shared/limits.ts'
import { chunks } from '../../../shared/chunks.ts'
import { filterAddresses, type LogFilter, type LogQuery } from './log-filter.ts'
import { hasContract } from './log-matching.ts'

/**
 * Returns queries that together match all logs of the filters. They usually match additional logs, so the caller must
 * filter the results. Topics after the first are included only if all filters agree on them.
 */
export function mergeFilters(filters: readonly LogFilter[]): LogQuery[] {
  const first = filters[0]
  if (first === undefined) return []
  const topics = sameTopics(filters) ? first.topics : []
  const addresses = distinctAddresses(filters).toSorted()
  return chunks(addresses, LOG_QUERY_ADDRESSES_MAX).flatMap((some) => {
    const among = new Set(some)
    const topic0s = new Set(
      filters.filter((filter) => hasSome(filter, among)).map(({ topic0 }) => topic0),
    )
    return chunks([...topic0s].toSorted(), LOG_QUERY_TOPICS_MAX).map((events) => ({
      addresses: some,
      topics: [events, ...topics],
    }))
  })
}

/**
 * Returns queries for the logs of a few blocks. If lists of addresses do not fit in one query, their events are queried
 * for all contracts, so that the number of requests does not depend on the number of addresses.
 */
export function mergeForBlocks(filters: readonly LogFilter[]): LogQuery[] {
  const lists = filters.filter(({ address }) => address === null)
  if (lists.length === 0) return mergeFilters(filters)
  if (distinctAddresses(filters, LOG_QUERY_ADDRESSES_MAX).length <= LOG_QUERY_ADDRESSES_MAX)
    return mergeFilters(filters)
  const topics = sameTopics(lists) ? lists[0]!.topics : []
  const topic0s = [...new Set(lists.map(({ topic0 }) => topic0))].toSorted()
  return [
    ...mergeFilters(filters.filter(({ address }) => address !== null)),
    ...chunks(topic0s, LOG_QUERY_TOPICS_MAX).map((events) => ({
      addresses: null,
      among: () => distinctAddresses(lists.filter(({ topic0 }) => events.includes(topic0))),
      topics: [events, ...topics],
    })),
  ]
}

/** @param enough number of addresses above which the result may be incomplete */
function distinctAddresses(
  filters: readonly LogFilter[],
  enough = Number.POSITIVE_INFINITY,
): string[] {
  const found = new Set<string>()
  for (const filter of filters)
    for (const address of filterAddresses(filter)) {
      found.add(address)
      if (found.size > enough) return [...found]
    }
  return [...found]
}

function hasSome(filter: LogFilter, addresses: ReadonlySet<string>): boolean {
  if (filter.address !== null) return addresses.has(filter.address)
  for (const address of addresses) if (hasContract(filter, address)) return true
  return false
}

export function halveQuery(query: LogQuery): [LogQuery, LogQuery] | undefined {
  const { topics } = query
  const addresses = query.addresses ?? query.among?.() ?? []
  const [events, ...others] = topics
  if (addresses.length > 1) {
    const [some, rest] = halves(addresses)
    return [
      { addresses: some, topics },
      { addresses: rest, topics },
    ]
  }
  if (!events || events.length < 2) return undefined
  const [some, rest] = halves(events)
  return [
    { addresses, topics: [some, ...others] },
    { addresses, topics: [rest, ...others] },
  ]
}

function sameTopics(filters: readonly LogFilter[]): boolean {
  const first = JSON.stringify(filters[0]!.topics)
  return filters.every(({ topics }) => JSON.stringify(topics) === first)
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)]
}
