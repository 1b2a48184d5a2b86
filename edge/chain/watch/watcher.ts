/** What others ask of the watcher of a chain: the methods of its object. */
import type { ChainLog } from '../chain-log.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import type { EndpointHealth } from '../rpc/chain-reader.ts'

/** The chain can not be asked now. Answers are values: an error's class does not cross objects. */
export type Away = { state: 'away' }

export interface Watcher {
  /**
   * The number of the latest block, asked for.
   * @param finality what the trigger would wait for: a chain that does not serve this tag is `no_such_finality`
   */
  head(
    finality: Finality,
  ): Promise<{ state: 'known'; head: number } | Away | { state: 'no_such_finality' }>
  /** Begins, changes or goes on with a subscription. An older version than the one that is known changes nothing. */
  watch(subscription: Subscription): Promise<void>
  /** Ends it, from this version on. */
  unwatch(triggerId: string, version: number): Promise<void>
  /** A trigger that was full takes logs again. */
  roomFor(triggerId: string): Promise<void>
  /** The last logs that match and are final, newest first, as far back as a few questions reach. */
  recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): Promise<
    | { state: 'found'; logs: ChainLog[]; searched: BlockRange }
    | Away
    | { state: 'busy'; retryAfterS: number }
    | { state: 'no_such_finality' }
  >
  /**
   * What is at an address, for who sees no event of it.
   * @param within blocks that were searched in vain: the last of them are looked at once more, for any event
   */
  contractAt(
    address: string,
    within: BlockRange,
  ): Promise<
    | {
        state: 'known'
        hasCode: boolean
        /** The first topics of its last logs, each once, the latest first; `null` where the chain did not say. */
        events: string[] | null
      }
    | Away
  >
  status(): Promise<ChainStatus>
  /** Makes sure that it is going where it has subscriptions: an alarm can be lost. */
  wake(): Promise<void>
}

export type ChainStatus = {
  /** Whether there is a trigger to watch for. */
  watching: boolean
  /** The highest block that it has seen; `null` before the first answer. */
  head: number | null
  /** Unix seconds: the time of that block. */
  headTimestamp: number | null
  /** Unix milliseconds: when an endpoint last answered. */
  answeredAt: number | null
  /** Blocks up to which logs have been looked for; less than `head` while it catches up. */
  lookedThrough: number | null
  safe: number | null
  finalized: number | null
  /** Triggers of this chain, and of those the ones with a backfill, and the ones that wait for room in their queues. */
  triggers: number
  backfills: number
  behind: number
  endpoints: EndpointHealth[]
}
