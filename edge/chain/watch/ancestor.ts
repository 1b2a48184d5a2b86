import type { BlockHeader } from '../block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLags } from '../rpc/rpc-failures.ts'
import type { KeptChain } from './kept-chain.ts'

/** Headers of one question. */
const HEADERS_AT_ONCE = 128

/**
 * The highest kept block that the chain still has, not above `below`. Looked for by a few headers, at distances that
 * double, and then between the last that is ours and the first that is not.
 * @returns `undefined` where it has none of those that are kept
 * @throws {ChainAway} @throws {NodeLags}
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
  /** The lowest that is known to be another one. */
  let others = below + 1
  do {
    const headers = await reader.headersOf(places)
    const isOurs = new Set(
      headers
        .filter(({ number, hash }) => kept.hashAt(number) === hash)
        .map(({ number }) => number),
    )
    // It was there a moment ago: the nodes that were asked do not agree.
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
 * Headers of a stretch in a few questions, linked, the first the child of a known block.
 * @param parent the hash of the block before; `undefined` where it is not known
 * @throws {NodeLags} where they are not: the questions were answered by nodes that do not agree
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

/** A block, some below it, each as far from the one before as that from the first, and the lowest. */
function doublingBelow(high: number, low: number): number[] {
  const places = [high]
  for (let distance = 1; high - distance > low; distance *= 2) places.push(high - distance)
  if (low < high) places.push(low)
  return places
}

/** The lower of two blocks, and some between them. */
function between(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / 8))
  const places: number[] = []
  for (let place = low; place < high; place += step) places.push(place)
  return places
}
