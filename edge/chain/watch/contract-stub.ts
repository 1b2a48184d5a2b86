/** What previews ask of the watcher of a chain beside its logs. */
import type { BlockRange } from '../subscription.ts'
import type { Away, WatcherStub } from './watcher.ts'

export interface ContractStub {
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
}

export type ChainStub = WatcherStub & ContractStub
