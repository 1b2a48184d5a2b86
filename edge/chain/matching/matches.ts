import type { ChainLog } from '../chain-log.ts'
import type { LogFilter } from './log-filter.ts'

/** Under what a subscription and the logs that can match it are found: of two together, in one look-up. */
export function routeOf({ address, topic0 }: { address: string; topic0: string }): string {
  return `${address}|${topic0}`
}

/** The same of a log. @throws never: a log without topics, which is nobody's, has a route that no filter has */
export function routeOfLog({ address, topics }: Pick<ChainLog, 'address' | 'topics'>): string {
  return routeOf({ address, topic0: topics[0] ?? '' })
}

/** Whether a log fires the trigger of this filter. Nothing that an endpoint has chosen is taken on trust. */
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
