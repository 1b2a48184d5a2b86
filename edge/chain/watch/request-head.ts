import type { Finality } from '../finality.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { ChainPoller } from './chain-poller.ts'
import type { Watcher } from './watcher.ts'

type Options = {
  poller: Pick<ChainPoller, 'head' | 'answeredAt' | 'isWatching'>
  reader: Pick<ChainReader, 'tip'>
  now: () => number
}

/** Maximum age of a known head. An older head is ignored, because a restarted chain may no longer have that block. */
const HEAD_FRESH_MS = 60_000

/**
 * Requests the head, after which a new trigger starts, so that earlier events never fire the trigger. If the watcher
 * has recently seen a higher block, the node lags, and the higher block is returned.
 */
export async function requestHead(
  { poller, reader, now }: Options,
  finality: Finality,
): ReturnType<Watcher['head']> {
  try {
    const tag = typeof finality === 'number' ? undefined : finality
    const tip = await reader.tip(tag ? [tag] : [])
    if (tag && tip[tag] === null) return { state: 'no_such_finality' }
    const { head, answeredAt, isWatching } = poller
    const isKnown = isWatching && Math.abs(now() - (answeredAt ?? 0)) <= HEAD_FRESH_MS
    return { state: 'known', head: Math.max(tip.latest.number, isKnown ? (head ?? 0) : 0) }
  } catch {
    return { state: 'away' }
  }
}

export async function requestFinalBlock(
  reader: Pick<ChainReader, 'tip'>,
  finality: Finality,
): Promise<{ state: 'known'; block: number } | { state: 'away' } | { state: 'no_such_finality' }> {
  try {
    if (typeof finality === 'number') {
      const { latest } = await reader.tip([])
      return { state: 'known', block: Math.max(0, latest.number - finality) }
    }
    const { [finality]: block } = await reader.tip([finality])
    return block ? { state: 'known', block: block.number } : { state: 'no_such_finality' }
  } catch {
    return { state: 'away' }
  }
}
