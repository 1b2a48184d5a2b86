import { BLOCKS_KEPT } from '../../../shared/limits.ts'
import type { BlockHeader } from '../block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { linkedHeaders } from './ancestor.ts'
import { fallBehind } from './finality-marks.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Begins to watch: keeps the blocks below the head, so that the first reorganisation finds an ancestor, and looks for logs
 * from the first block on that a trigger waits for.
 * @throws {ChainAway} @throws {NodeLags}
 */
export async function begin(
  state: WatchState,
  reader: Pick<ChainReader, 'headers'>,
  latest: BlockHeader,
): Promise<void> {
  const { kept, subscriptions } = state
  const lowest = Math.max(0, latest.number - BLOCKS_KEPT)
  let wanted = Number.POSITIVE_INFINITY
  for (const { since } of subscriptions.all()) wanted = Math.min(wanted, since)
  const through = Math.min(Math.max(wanted - 1, lowest), latest.number)
  const headers = await linkedHeaders(reader, undefined, lowest, through)
  // The last trigger may have gone meanwhile.
  if (subscriptions.size === 0) return
  state.transaction(() => {
    kept.extend(headers, [])
    for (const watched of subscriptions.all()) {
      subscriptions.setCoveredFrom(watched, through + 1)
      if (watched.since > through || watched.live) continue
      fallBehind(state, watched, watched.since)
    }
  })
}
