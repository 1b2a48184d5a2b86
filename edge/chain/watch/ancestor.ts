import type { BlockHeader } from '../block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLags } from '../rpc/rpc-failures.ts'
import type { KeptChain } from './kept-chain.ts'

/** Headers per request. */
const HEADERS_AT_ONCE = 128

/**
 * Finds the highest stored block that the chain still has, at or below `below`. Probes a few headers at doubling
 * distances, then between the last match and the first mismatch.
 * @returns undefined if the chain has none of the stored blocks
 * @throws {ChainAway}
 * @throws {NodeLags}
 */
export async function commonAncestor(
  reader: Pick<ChainReader, 'headersOf'>,
  kept: Pick<KeptChain, 'first' | 'hashAt'>,
  below: number,
): Promise<number | undefined> {
  const { first } = kept
  if (below < first) return undefined
  let places = doublingBelow(below, first)
  let ours: number | undefined
  /** Lowest block that is known to differ. */
  let others = below + 1
  do {
    const headers = await reader.headersOf(places)
    const isOurs = new Set(
      headers
        .filter(({ number, hash }) => kept.hashAt(number) === hash)
        .map(({ number }) => number),
    )
    // It matched a moment ago, so the nodes disagree.
    if (ours !== undefined && !isOurs.has(ours)) throw new NodeLags(`block ${ours} has gone`)
    if (isOurs.size === 0) return undefined
    const highest = Math.max(...isOurs)
    others = Math.min(others, ...places.filter((place) => place > highest))
    ours = highest
    places = between(highest, others)
  } while (ours + 1 < others)
  return ours
}

/**
 * Fetches a range of headers in a few requests, and checks that they are linked, starting with the child of a known
 * block.
 * @param parent hash of the block before the range, or undefined if unknown
 * @throws {NodeLags} if they are not linked, because the nodes that answered disagree
 */
export async function linkedHeaders(
  reader: Pick<ChainReader, 'headers'>,
  parent: string | undefined,
  from: number,
  to: number,
): Promise<BlockHeader[]> {
  const headers: BlockHeader[] = []
  let before = parent
  for (let at = from; at <= to; at += HEADERS_AT_ONCE) {
    const some = await reader.headers(at, Math.min(at + HEADERS_AT_ONCE - 1, to))
    for (const header of some) {
      if (before !== undefined && header.parentHash !== before)
        throw new NodeLags(`block ${header.number} is not the child of the one before it`)
      before = header.hash
    }
    headers.push(...some)
  }
  return headers
}

/** Returns `high`, blocks at doubling distances below it, and `low`. */
function doublingBelow(high: number, low: number): number[] {
  const places = [high]
  for (let distance = 1; high - distance > low; distance *= 2) places.push(high - distance)
  if (low < high) places.push(low)
  return places
}

/** Returns the lower of two blocks, and some blocks between them. */
function between(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / 8))
  const places: number[] = []
  for (let place = low; place < high; place += step) places.push(place)
  return places
}
