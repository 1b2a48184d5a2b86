import type { Finality } from '../finality.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { Watch } from './watch.ts'
import type { WatcherStub } from './watcher.ts'

type Options = {
  watch: Pick<Watch, 'head' | 'answeredAt' | 'isWatching'>
  reader: Pick<ChainReader, 'tip'>
  now: () => number
  /** An answer that is older is not fresh. */
  freshMs: number
}

/** The head for who creates a trigger: what is being followed anyway, or asked for. */
export async function askedHead(
  { watch, reader, now, freshMs }: Options,
  finality: Finality,
): ReturnType<WatcherStub['head']> {
  const { head, answeredAt, isWatching } = watch
  const isFresh = isWatching && Math.abs(now() - (answeredAt ?? 0)) <= freshMs
  if (isFresh && head !== undefined && typeof finality === 'number') return { state: 'known', head }
  try {
    const tag = typeof finality === 'number' ? undefined : finality
    const tip = await reader.tip(tag ? [tag] : [])
    if (tag && tip[tag] === null) return { state: 'no_such_finality' }
    // A node that lags says less than what is known.
    const known = isFresh && head !== undefined ? head : 0
    return { state: 'known', head: Math.max(tip.latest.number, known) }
  } catch {
    return { state: 'away' }
  }
}

/** The last final block, for a preview. */
export async function askedFinalBlock(
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
