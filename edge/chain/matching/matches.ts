import type { ChainLog } from '../chain-log.ts'
import type { LogFilter } from './log-filter.ts'

/** Returns the key under which logs and the subscriptions that may match them are looked up. */
export function routeOf({ address, topic0 }: { address: string; topic0: string }): string {
  return `${address}|${topic0}`
}

/** Returns the route of a log. Never throws: a log without topics gets a route that no filter has. */
export function routeOfLog({ address, topics }: Pick<ChainLog, 'address' | 'topics'>): string {
  return routeOf({ address, topic0: topics[0] ?? '' })
}

/** Returns true if a log fires the trigger with this filter. Endpoints are not trusted to filter correctly. */
export function matches(
  filter: LogFilter,
  { address, topics }: Pick<ChainLog, 'address' | 'topics'>,
): boolean {
  return (
    address === filter.address &&
    topics[0] === filter.topic0 &&
    filter.topics.every((allowed, place) => {
      const topic = topics[place + 1]
      return allowed === null || (topic !== undefined && allowed.includes(topic))
    })
  )
}
