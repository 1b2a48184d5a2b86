import type { RangeSize } from '../backfill/range-size.ts'
import { routeOfLog } from '../matching/matches.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { Watched } from './subscriptions.ts'
import { UnionLogs } from './union-logs.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Looks for logs in kept blocks that were looked through before a trigger wanted them: it came between two looks, or has a
 * backfill up to the head. Those blocks may still be taken back, so they are read as those of a poll are, and not by ranges.
 * @throws {ChainAway} @throws {NodeLags}
 */
export async function cover(
  state: WatchState,
  source: { reader: ChainReader; size: RangeSize },
  now: number,
): Promise<void> {
  const { kept, subscriptions, flooded } = state
  const uncovered = [...subscriptions.all()].flatMap((watched) => {
    const from = Math.max(wantedFrom(watched), kept.first)
    if (flooded.has(watched.route, now)) return []
    return watched.coveredFrom !== undefined && from < watched.coveredFrom
      ? [{ watched, from, to: watched.coveredFrom - 1 }]
      : []
  })
  if (uncovered.length === 0 || kept.isEmpty) return
  const from = Math.min(...uncovered.map((part) => part.from))
  const to = Math.min(Math.max(...uncovered.map((part) => part.to)), kept.through!)
  const { through } = kept
  const union = new UnionLogs(uncovered.map(({ watched }) => watched.filter))
  const headers = kept.headers(from, to)
  const { logs, refused } = await union.of(source, headers)
  // Nothing is kept any more where the last trigger has gone meanwhile.
  if (kept.through !== through) return
  state.transaction(() => {
    const routes = new Set(uncovered.map(({ watched }) => watched.route))
    kept.addLogs(logs.filter((log) => routes.has(routeOfLog(log))))
    for (const route of refused.keys()) flooded.add(route, now)
    for (const { watched } of uncovered)
      if (subscriptions.isCurrent(watched) && !refused.has(watched.route))
        subscriptions.setCoveredFrom(watched, from)
  })
}

/** The first block that one of its lanes is to be told of. */
function wantedFrom({ since, live, backfill }: Watched): number {
  return Math.min(live?.next.block ?? since, backfill?.next.block ?? Number.POSITIVE_INFINITY)
}
