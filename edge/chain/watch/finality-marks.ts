import type { Tip } from '../block-header.ts'
import type { Finality } from '../finality.ts'
import type { KeptChain } from './kept-chain.ts'
import { LanePosition } from './lane-position.ts'
import type { Watched } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

/** Tags in use, so that polls of the head request them. */
export function tagsInUse({ subscriptions }: WatchState): ('safe' | 'finalized')[] {
  const tags = new Set<'safe' | 'finalized'>()
  for (const { finality } of subscriptions.all())
    if (typeof finality !== 'number') tags.add(finality)
  return [...tags]
}

/**
 * Latest finalized block by watermark key. Omits tags that the chain does not report.
 * @param head block from which depths are counted
 */
export function finalBlocks(
  { subscriptions, kept }: WatchState,
  tip: Tip,
  head: number,
): Map<string, number> {
  const finals = new Map<string, number>()
  for (const { mark, finality } of subscriptions.all()) {
    if (finals.has(mark)) continue
    const block = finalBlock(kept, finality, tip, head)
    if (block !== undefined) finals.set(mark, block)
  }
  return finals
}

function finalBlock(
  kept: KeptChain,
  finality: Finality,
  tip: Tip,
  head: number,
): number | undefined {
  if (typeof finality === 'number') return Math.max(-1, head - finality)
  const block = tip[finality]
  if (!block) return undefined
  // A tagged block on another branch does not concern the branch that the watcher follows.
  const ours = kept.hashAt(block.number)
  return ours === undefined || ours === block.hash ? block.number : undefined
}

/**
 * Creates the watermarks of newly used finalities, at the latest finalized block or the last searched block, whichever
 * is lower. Subscriptions that need earlier blocks get their own cursors.
 */
export function beginMarks(state: WatchState, finals: ReadonlyMap<string, number>): void {
  const { marks, subscriptions, kept } = state
  const fresh = [...finals].filter(([mark]) => marks.of(mark) === undefined)
  if (fresh.length === 0 || kept.through === undefined) return
  const { through } = kept
  state.transaction(() => {
    for (const [mark, final] of fresh) {
      const block = Math.min(final, through)
      marks.set(mark, block)
      for (const watched of subscriptions.all())
        if (watched.mark === mark && !watched.live && watched.since <= block)
          fallBehind(state, watched, watched.since)
    }
  })
}

/** Gives a subscription its own live cursor. Must be called in a transaction. */
export function fallBehind({ subscriptions }: WatchState, watched: Watched, block: number): void {
  watched.live = new LanePosition('live', { block, logIndex: 0 })
  subscriptions.put(watched, watched.live)
}

/**
 * Gives the caught-up triggers of a watermark their own cursors, so that blocks after the watermark no longer have to
 * be stored. Must be called in a transaction.
 */
export function leaveMark(state: WatchState, mark: string): void {
  const block = state.marks.of(mark)
  if (block === undefined) return
  for (const watched of state.subscriptions.all())
    if (watched.mark === mark && !watched.live)
      fallBehind(state, watched, Math.max(block + 1, watched.since))
}

/**
 * Must be called in the transaction that stores the searched blocks.
 * @param refused by filter group, the last block for which the stored logs may be incomplete
 * @returns number of triggers that wait
 */
export function waitForRefused(
  state: WatchState,
  refused: ReadonlyMap<string, number>,
  now: number,
): number {
  const { subscriptions, marks, flooded } = state
  let waiting = 0
  for (const [route, block] of refused) {
    flooded.add(route, now)
    for (const watched of subscriptions.ofRoute(route)) {
      subscriptions.setCoveredFrom(watched, Math.max(block + 1, watched.coveredFrom ?? 0))
      if (watched.since > block) continue
      waiting++
      const told = marks.of(watched.mark) ?? -1
      if (!watched.live) fallBehind(state, watched, Math.max(told + 1, watched.since))
    }
  }
  return waiting
}
