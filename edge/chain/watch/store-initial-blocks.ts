import { BLOCKS_RETAINED } from '../../../shared/limits.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { readLinkedHeaders } from './ancestor.ts'
import { startLiveCursor } from './finality-watermarks.ts'
import type { WatchState } from './watch-state.ts'

/** Number of blocks to store below the head if a node does not have more. */
const FALLBACK_DEPTH = 16

/**
 * Stores some blocks below the head, so that a common ancestor can be found at the first reorganization. Logs are read
 * from the first block that a trigger needs.
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 */
export async function storeInitialBlocks(
  state: WatchState,
  reader: Pick<ChainReader, 'headers'>,
  latest: BlockHeader,
): Promise<void> {
  const { unfinalized, subscriptions } = state
  let wanted = Number.POSITIVE_INFINITY
  for (const { since } of subscriptions.all()) wanted = Math.min(wanted, since)
  const lowest = Math.max(0, latest.number - BLOCKS_RETAINED)
  const last = Math.min(Math.max(wanted - 1, lowest), latest.number)
  const headers = await readHeadersBelow(reader, latest, last)
  const through = headers.at(-1)?.number ?? latest.number
  // The last trigger may have been removed while the headers were being fetched.
  if (subscriptions.size === 0) return
  state.transaction(() => {
    unfinalized.extend(headers.length > 0 ? headers : [latest], [])
    for (const watched of subscriptions.all()) {
      subscriptions.setCoveredFrom(watched, through + 1)
      if (watched.since > through || watched.live) continue
      startLiveCursor(state, watched, watched.since)
    }
  })
}

/**
 * Returns linked headers up to block `last`. Empty if the node has only the latest blocks and `last` is below the head.
 */
export async function readHeadersBelow(
  reader: Pick<ChainReader, 'headers'>,
  latest: BlockHeader,
  last: number,
): Promise<BlockHeader[]> {
  for (const depth of [BLOCKS_RETAINED, FALLBACK_DEPTH]) {
    const lowest = Math.max(0, latest.number - depth)
    if (lowest > last) break
    try {
      return await readLinkedHeaders(reader, undefined, lowest, last)
    } catch (error) {
      if (!(error instanceof NodeLaggingError)) throw error
    }
  }
  return last === latest.number ? [latest] : []
}
