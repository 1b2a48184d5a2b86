import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { badResponse } from '../../../shared/rpc/endpoint-error.ts'
import type { AccountConfigReader, BlockId, LoggedEvent } from './account-config-reader.ts'
import type { AgreedReads } from './agreed-reads.ts'
import { MissingEventsError } from './apply-event.ts'
import type { Branch, BranchView } from './branch.ts'

/**
 * Initial number of blocks per `eth_getLogs` request. Some providers allow only a few hundred blocks and others have no
 * limit. A limit can be detected only by the provider's error.
 */
const RANGE_BLOCKS_INITIAL = 4_000
const RANGE_BLOCKS_MAX = 32_000

/** Maximum number of consecutive failures, which is enough to halve the largest range down to a single block. */
const FAILURES_MAX = 14

/**
 * Advances a branch to a distant final block in ranges of blocks. The size of the ranges is halved after a failure and
 * doubled after a success. If a later range fails, the ranges before it remain applied.
 */
export async function catchUp(branch: Branch, reads: AgreedReads, to: number): Promise<void> {
  let rangeBlocks = RANGE_BLOCKS_INITIAL
  let failures = 0
  while (branch.tip.number < to) {
    const last = Math.min(branch.tip.number + rangeBlocks, to)
    try {
      const known = branch.view
      const range = await reads.agree({
        read: (reader) => readRange(known, last, reader, reads),
        keyOf: (read) => JSON.stringify([read?.end.hash, read?.events.map(({ raw }) => raw)]),
        subjectOf: (one, other) => (one?.end.hash === other?.end.hash ? 'contents' : 'block'),
      })
      if (!range) throw new DeepReorgError()
      branch.advance(range.end, range.events)
      rangeBlocks = Math.min(rangeBlocks * 2, RANGE_BLOCKS_MAX)
      failures = 0
    } catch (error) {
      if (error instanceof DeepReorgError || error instanceof MissingEventsError) throw error
      if (++failures > FAILURES_MAX) throw error
      rangeBlocks = Math.max(1, rangeBlocks >> 1)
    }
  }
}

export class DeepReorgError extends Error {
  constructor() {
    super('the reorganization is deeper than the kept history')
    this.name = 'DeepReorgError'
  }
}

/**
 * Reads the headers at both ends of a range and the events in it in one batch, so that the responding node must have
 * both blocks. Otherwise, the incomplete events of a lagging node would look like a range without further events.
 * @returns undefined if the range does not follow the known blocks
 */
export async function readRange(
  { tip }: Pick<BranchView, 'tip'>,
  last: number,
  reader: AccountConfigReader,
  reads: AgreedReads,
): Promise<{ end: BlockId; events: LoggedEvent[] } | undefined> {
  const [before, end, events] = await Promise.all([
    tip.hash === undefined ? undefined : reader.header(tip.number),
    reader.header(last),
    reader.eventsIn(tip.number + 1, last),
  ])
  if (before && before.hash !== tip.hash) return undefined
  const eventsInEnd = events.filter(({ block }) => block.number === last)
  if (eventsInEnd.some(({ block }) => block.hash !== end.hash))
    throw new NodeLaggingError('the node was switching branches while the range was read')
  // Only the header of the last block was read, so only that block's bloom filter can be compared with the events.
  if (
    eventsInEnd.length === 0 &&
    reads.mayContainLogs(end) &&
    (await reader.eventsOf(end)).length > 0
  )
    throw badResponse('events are missing from a range of blocks')
  return { end, events }
}
