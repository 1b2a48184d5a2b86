/** Merges log filters into shared queries, so that polling for many triggers costs no more than polling for one. */
import { LOG_QUERY_ADDRESSES_MAX, LOG_QUERY_TOPICS_MAX } from '../../../shared/limits.ts'
import { chunks } from '../../../shared/chunks.ts'
import type { LogFilter, LogQuery } from './log-filter.ts'

/**
 * Returns queries that together match all logs of the filters. They usually match additional logs, so the caller must
 * filter the results. Topics after the first are included only if all filters agree on them.
 */
export function mergeFilters(filters: readonly LogFilter[]): LogQuery[] {
  const first = filters[0]
  if (first === undefined) return []
  const topics = sameTopics(filters) ? first.topics : []
  const addresses = [...new Set(filters.map((filter) => filter.address))].toSorted()
  return chunks(addresses, LOG_QUERY_ADDRESSES_MAX).flatMap((some) => {
    const among = new Set(some)
    const topic0s = new Set(
      filters.filter(({ address }) => among.has(address)).map(({ topic0 }) => topic0),
    )
    return chunks([...topic0s].toSorted(), LOG_QUERY_TOPICS_MAX).map((events) => ({
      addresses: some,
      topics: [events, ...topics],
    }))
  })
}

export function halveQuery(query: LogQuery): [LogQuery, LogQuery] | undefined {
  const { addresses, topics } = query
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
