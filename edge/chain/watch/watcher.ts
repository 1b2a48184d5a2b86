import type { ChainLog } from '../chain-log.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import type { EndpointHealth } from '../../../shared/rpc/endpoint-condition.ts'

/**
 * Result if the chain cannot be queried at the moment. A value instead of an error, because the class of an error is
 * lost between Durable Objects.
 */
type ChainUnreachable = { state: 'away' }

export interface Watcher {
  /** @param finality the result is `no_such_finality` if the chain does not serve this tag */
  head(
    finality: Finality,
  ): Promise<{ state: 'known'; head: number } | ChainUnreachable | { state: 'no_such_finality' }>
  /** A version that is older than the known one changes nothing. */
  watch(subscription: Subscription): Promise<void>
  unwatch(triggerId: string, version: number): Promise<void>
  /** Resumes deliveries to a trigger after its full queue has room again. */
  roomFor(triggerId: string): Promise<void>
  /** Returns the latest finalized logs, newest first. Searches only as far back as a few requests reach. */
  recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): Promise<
    | { state: 'found'; logs: ChainLog[]; searched: BlockRange }
    | ChainUnreachable
    | { state: 'busy'; retryAfterS: number }
    | { state: 'no_such_finality' }
  >
  /**
   * Inspects a contract for a preview that found no events.
   * @param within blocks that were searched without a match; the latest of them are searched again for any event
   */
  contractAt(
    address: string,
    within: BlockRange,
  ): Promise<
    | {
        state: 'known'
        hasCode: boolean
        /** Distinct first topics of the contract's logs, newest first. Null if the logs could not be read. */
        events: string[] | null
      }
    | ChainUnreachable
  >
  /**
   * Returns the number of contracts that a trigger with a factory knows. `learningAt` is the next block whose contracts
   * have to be learned before the trigger receives events, or null.
   */
  factoryContracts(
    triggerId: string,
  ): Promise<{ count: number; learningAt: number | null } | undefined>
  status(): Promise<ChainStatus>
  /** Restores a lost alarm if there are subscriptions. */
  wake(): Promise<void>
}

export type ChainStatus = {
  watching: boolean
  /** Null before the first response. */
  head: number | null
  /** Timestamp of the head in Unix seconds. Null before the first response. */
  headTimestamp: number | null
  /** Time of the last response from an endpoint, in Unix milliseconds. Null before the first response. */
  answeredAt: number | null
  /**
   * Last block that was searched for logs. It is below `head` while the watcher catches up, and null before the first
   * poll.
   */
  lookedThrough: number | null
  safe: number | null
  finalized: number | null
  /**
   * Numbers of triggers. `backfills` counts the triggers with a backfill. `behind` counts the triggers that wait to
   * retry a delivery, usually because their queue is full.
   */
  triggers: number
  backfills: number
  behind: number
  endpoints: EndpointHealth[]
}
