import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import type { UnfinalizedChain } from './unfinalized-chain.ts'

const HEADERS_AT_ONCE = 128

/**
 * Returns the highest stored block, at or below `below`, that is still in the chain. Checks blocks at doubling
 * distances first, then blocks between the highest match and the lowest mismatch.
 * @returns undefined if none of the stored blocks is in the chain
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 */
export async function findCommonAncestor(
  reader: Pick<ChainReader, 'headersOf'>,
  unfinalized: Pick<UnfinalizedChain, 'first' | 'hashAt'>,
  below: number,
): Promise<number | undefined> {
  const { first } = unfinalized
  if (below < first) return undefined
  let heights = doublingBelow(below, first)
  let ours: number | undefined
  /** Lowest block that is known to differ from the stored block. */
  let others = below + 1
  do {
    const headers = await reader.headersOf(heights)
    const isOurs = new Set(
      headers
        .filter(({ number, hash }) => unfinalized.hashAt(number) === hash)
        .map(({ number }) => number),
    )
    // The block matched in an earlier request, so different nodes must have answered, and they disagree.
    if (ours !== undefined && !isOurs.has(ours)) throw new NodeLaggingError(`block ${ours} is gone`)
    if (isOurs.size === 0) return undefined
    const highest = Math.max(...isOurs)
    others = Math.min(others, ...heights.filter((place) => place > highest))
    ours = highest
    heights = between(highest, others)
  } while (ours + 1 < others)
  return ours
}

/**
 * @param parent hash of the block before the range, or undefined if unknown
 * @throws {NodeLaggingError} if the blocks are not linked, because the nodes that answered disagree
 */
export async function readLinkedHeaders(
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
        throw new NodeLaggingError(`block ${header.number} is not a child of the previous block`)
      before = header.hash
    }
    headers.push(...some)
  }
  return headers
}

function doublingBelow(high: number, low: number): number[] {
  const heights = [high]
  for (let distance = 1; high - distance > low; distance *= 2) heights.push(high - distance)
  if (low < high) heights.push(low)
  return heights
}

function between(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / 8))
  const heights: number[] = []
  for (let place = low; place < high; place += step) heights.push(place)
  return heights
}
