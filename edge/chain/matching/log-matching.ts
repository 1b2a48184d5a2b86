import type { ChainLog } from '../chain-log.ts'
import { matchesWhere } from '../where/matches-where.ts'
import type { LogFilter } from './log-filter.ts'

export function routeKey({ address, topic0 }: { address: string; topic0: string }): string {
  return `${address}|${topic0}`
}

/** Never throws: a log without topics gets a key that no filter has. */
export function logRouteKey({ address, topics }: Pick<ChainLog, 'address' | 'topics'>): string {
  return routeKey({ address, topic0: topics[0] ?? '' })
}

/** Applied to every log, because endpoints are not trusted to filter correctly. */
export function matchesFilter(
  filter: LogFilter,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): boolean {
  const { address, topics } = log
  return (
    address === filter.address &&
    topics[0] === filter.topic0 &&
    filter.topics.every((allowed, place) => {
      const topic = topics[place + 1]
      return allowed === null || (topic !== undefined && allowed.includes(topic))
    }) &&
    (filter.where === undefined || matchesWhere(filter.where, log))
  )
}
