import type { RangeSize } from '../backfill/range-size.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { routeKey } from '../matching/log-matching.ts'
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
  if (unfinalized.isEmpty) return
  const { through } = unfinalized
  const uncovered = [...subscriptions.all()].flatMap((watched) => {
    const { route, learningAt, coveredFrom, filter } = watched
    const from = Math.max(wantedFrom(watched), unfinalized.first)
    if (flooded.has(route, now)) return []
    if (learningAt !== undefined) {
      // The contracts of older blocks are learned by the backfill first, and later blocks are not searched yet.
      if (learningAt < unfinalized.first || learningAt > through! + 1) return []
      if (flooded.has(routeKey(filter.factory!), now)) return []
      return [{ watched, from: Math.min(from, learningAt), to: through! }]
    }
    return coveredFrom !== undefined && from < coveredFrom
      ? [{ watched, from, to: coveredFrom - 1 }]
      : []
  })
  if (uncovered.length === 0) return
  const from = Math.min(...uncovered.map((part) => part.from))
  const to = Math.min(Math.max(...uncovered.map((part) => part.to)), through!)
  const logReader = new BlockLogReader(uncovered.map(({ watched }) => watched.filter))
  const headers = from <= to ? unfinalized.headers(from, to) : []
  const { logs, refused, created } = await logReader.read(source, headers)
  // If the last trigger was removed in the meantime, the stored blocks have been deleted.
  if (unfinalized.through !== through) return
  state.transaction(() => {
    unfinalized.addLogs(logs)
    for (const route of refused.keys()) flooded.add(route, now)
    for (const { watched, from: own } of uncovered) {
      if (!subscriptions.isCurrent(watched) || refused.has(watched.route)) continue
      if (watched.learningAt === undefined) subscriptions.setCoveredFrom(watched, from)
      else if (!refused.has(routeKey(watched.filter.factory!))) {
        const { learningAt } = watched
        subscriptions.learn(
          watched,
          created.filter(({ blockNumber }) => blockNumber >= learningAt),
        )
        subscriptions.endLearning(watched, own)
      }
    }
  })
}

function wantedFrom({ since, live, backfill }: ActiveSubscription): number {
  return Math.min(live?.next.block ?? since, backfill?.next.block ?? Number.POSITIVE_INFINITY)
}
