import type { Tip } from '../../../shared/rpc/block-header.ts'
import type { Finality } from '../finality.ts'
import { routeKey } from '../matching/log-matching.ts'
import type { UnfinalizedChain } from './unfinalized-chain.ts'
import { DeliveryCursor } from './delivery-cursor.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

export function tagsInUse({ subscriptions }: WatchState): ('safe' | 'finalized')[] {
  const tags = new Set<'safe' | 'finalized'>()
  for (const { finality } of subscriptions.all())
    if (typeof finality !== 'number') tags.add(finality)
  return [...tags]
}

/**
 * Returns the latest finalized block for each watermark key. Omits tags that the chain does not report.
 * @param head block from which depths are counted
 */
export function finalBlocks(
  { subscriptions, unfinalized }: WatchState,
  tip: Tip,
  head: number,
): Map<string, number> {
  const finals = new Map<string, number>()
  for (const { watermarkKey, finality } of subscriptions.all()) {
    if (finals.has(watermarkKey)) continue
    const block = finalBlock(unfinalized, finality, tip, head)
    if (block !== undefined) finals.set(watermarkKey, block)
  }
  return finals
}

function finalBlock(
  unfinalized: UnfinalizedChain,
  finality: Finality,
  tip: Tip,
  head: number,
): number | undefined {
  if (typeof finality === 'number') return Math.max(-1, head - finality)
  const block = tip[finality]
  if (!block) return undefined
  // If the tagged block is on another branch, it is irrelevant for the branch that the watcher follows.
  const ours = unfinalized.hashAt(block.number)
  return ours === undefined || ours === block.hash ? block.number : undefined
}

/**
 * Creates the watermarks of newly used finalities, at the latest finalized block or the last searched block, whichever
 * is lower. Subscriptions that need earlier blocks get their own cursors.
 */
export function createWatermarks(state: WatchState, finals: ReadonlyMap<string, number>): void {
  const { watermarks, subscriptions, unfinalized } = state
  const fresh = [...finals].filter(([mark]) => watermarks.get(mark) === undefined)
  if (fresh.length === 0 || unfinalized.through === undefined) return
  const { through } = unfinalized
  state.transaction(() => {
    for (const [mark, final] of fresh) {
      const block = Math.min(final, through)
      watermarks.set(mark, block)
      for (const watched of subscriptions.all())
        if (watched.watermarkKey === mark && !watched.live && watched.since <= block)
          startLiveCursor(state, watched, watched.since)
    }
  })
}

/** Must be called in a transaction. */
export function startLiveCursor(
  { subscriptions }: WatchState,
  watched: ActiveSubscription,
  block: number,
): void {
  watched.live = new DeliveryCursor('live', { block, logIndex: 0 })
  subscriptions.putCursor(watched, watched.live)
}

/** Gives a trigger its own live cursor if it is caught up. Must be called in a transaction. */
export function leaveCaughtUp(state: WatchState, watched: ActiveSubscription): void {
  if (watched.live) return
  const delivered = state.watermarks.get(watched.watermarkKey) ?? -1
  startLiveCursor(state, watched, Math.max(delivered + 1, watched.since))
}

/**
 * Gives the caught-up triggers of a watermark their own cursors, so that blocks after the watermark no longer have to
 * be stored. Must be called in a transaction.
 */
export function leaveWatermark(state: WatchState, mark: string): void {
  const block = state.watermarks.get(mark)
  if (block === undefined) return
  for (const watched of state.subscriptions.all())
    if (watched.watermarkKey === mark && !watched.live)
      startLiveCursor(state, watched, Math.max(block + 1, watched.since))
}

/**
 * Gives triggers whose logs were rejected their own cursors. Must be called in the transaction that stores the searched
 * blocks.
 * @param refused last block with possibly incomplete logs, by filter group
 * @param from first of the searched blocks
 * @returns number of triggers that wait for rejected logs
 */
export function startCursorsAtRejected(
  state: WatchState,
  refused: ReadonlyMap<string, number>,
  now: number,
  from: number,
): number {
  const { subscriptions, flooded } = state
  let waiting = 0
  for (const [route, block] of refused) {
    flooded.add(route, now)
    for (const watched of subscriptions.ofRoute(route)) {
      subscriptions.setCoveredFrom(watched, Math.max(block + 1, watched.coveredFrom ?? 0))
      if (watched.since > block) continue
      waiting++
      leaveCaughtUp(state, watched)
    }
  }
  for (const watched of subscriptions.all()) {
    const { factory } = watched.filter
    if (!factory || watched.learningAt !== undefined || !refused.has(routeKey(factory))) continue
    waiting++
    subscriptions.startLearning(watched, from)
    leaveCaughtUp(state, watched)
  }
  return waiting
}
