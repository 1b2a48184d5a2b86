import type { RangeSize } from '../backfill/range-size.ts'
import { routeOfLog } from '../matching/matches.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { Watched } from './subscriptions.ts'
import { UnionLogs } from './union-logs.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Completes the logs of blocks that were searched before a trigger needed them: it was added between two polls, or its
 * backfill reached the stored blocks. These may still be reorganized, so the backfill does not read them.
 * @throws {ChainAway}
 * @throws {NodeLags}
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
  // If the last trigger was removed in the meantime, the stored blocks have been deleted.
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

function wantedFrom({ since, live, backfill }: Watched): number {
  return Math.min(live?.next.block ?? since, backfill?.next.block ?? Number.POSITIVE_INFINITY)
}
