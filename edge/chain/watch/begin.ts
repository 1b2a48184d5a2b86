import { BLOCKS_KEPT } from '../../../shared/limits.ts'
import type { BlockHeader } from '../block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { NodeLags } from '../rpc/rpc-failures.ts'
import { linkedHeaders } from './ancestor.ts'
import { fallBehind } from './finality-marks.ts'
import type { WatchState } from './watch-state.ts'

/** Blocks to store below the head if a node does not have more. */
const SOME_BLOCKS = 16

/**
 * Stores some blocks below the head, so that a common ancestor can be found at the first reorganization. Logs are read
 * from the first block that a trigger needs.
 * @throws {ChainAway}
 * @throws {NodeLags}
 */
export async function begin(
  state: WatchState,
  reader: Pick<ChainReader, 'headers'>,
  latest: BlockHeader,
): Promise<void> {
  const { kept, subscriptions } = state
  let wanted = Number.POSITIVE_INFINITY
  for (const { since } of subscriptions.all()) wanted = Math.min(wanted, since)
  const lowest = Math.max(0, latest.number - BLOCKS_KEPT)
  const last = Math.min(Math.max(wanted - 1, lowest), latest.number)
  const headers = await headersBelow(reader, latest, last)
  const through = headers.at(-1)?.number ?? latest.number
  // The last trigger may have been removed while the headers were fetched.
  if (subscriptions.size === 0) return
  state.transaction(() => {
    kept.extend(headers.length > 0 ? headers : [latest], [])
    for (const watched of subscriptions.all()) {
      subscriptions.setCoveredFrom(watched, through + 1)
      if (watched.since > through || watched.live) continue
      fallBehind(state, watched, watched.since)
    }
  })
}

/** Linked headers up to `last`. Empty if the node has only the latest blocks and `last` is below the head. */
export async function headersBelow(
  reader: Pick<ChainReader, 'headers'>,
  latest: BlockHeader,
  last: number,
): Promise<BlockHeader[]> {
  for (const depth of [BLOCKS_KEPT, SOME_BLOCKS]) {
    const lowest = Math.max(0, latest.number - depth)
    if (lowest > last) break
    try {
      return await linkedHeaders(reader, undefined, lowest, last)
    } catch (error) {
      if (!(error instanceof NodeLags)) throw error
    }
  }
  return last === latest.number ? [latest] : []
}
