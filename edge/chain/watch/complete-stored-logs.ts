import type { RangeSize } from '../backfill/range-size.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import { BlockLogReader } from './block-log-reader.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Completes the logs of stored blocks that were searched before a trigger needed them, either because the trigger was
 * added between two polls or because its backfill reached the stored blocks. Stored blocks may still be reorganized, so
 * the backfill does not read them.
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 */
export async function completeStoredLogs(
  state: WatchState,
  source: { reader: ChainReader; size: RangeSize },
  now: number,
): Promise<void> {
  const { unfinalized, subscriptions, flooded } = state
  const uncovered = [...subscriptions.all()].flatMap((watched) => {
    const from = Math.max(wantedFrom(watched), unfinalized.first)
    if (flooded.has(watched.route, now)) return []
    return watched.coveredFrom !== undefined && from < watched.coveredFrom
      ? [{ watched, from, to: watched.coveredFrom - 1 }]
      : []
  })
  if (uncovered.length === 0 || unfinalized.isEmpty) return
  const from = Math.min(...uncovered.map((part) => part.from))
  const to = Math.min(Math.max(...uncovered.map((part) => part.to)), unfinalized.through!)
  const { through } = unfinalized
  const logReader = new BlockLogReader(uncovered.map(({ watched }) => watched.filter))
  const headers = unfinalized.headers(from, to)
  const { logs, refused } = await logReader.read(source, headers)
  // If the last trigger was removed in the meantime, the stored blocks have been deleted.
  if (unfinalized.through !== through) return
  state.transaction(() => {
    unfinalized.addLogs(logs)
    for (const route of refused.keys()) flooded.add(route, now)
    for (const { watched } of uncovered)
      if (subscriptions.isCurrent(watched) && !refused.has(watched.route))
        subscriptions.setCoveredFrom(watched, from)
  })
}

function wantedFrom({ since, live, backfill }: ActiveSubscription): number {
  return Math.min(live?.next.block ?? since, backfill?.next.block ?? Number.POSITIVE_INFINITY)
}
