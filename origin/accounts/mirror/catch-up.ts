import type { Branch } from './branch.ts'
import {
  type BlockId,
  type AccountConfigReader,
  type LoggedEvent,
  UnusableResponseError,
} from './account-config-reader.ts'
import { MissingEventsError } from './apply-event.ts'

/**
 * Blocks per `eth_getLogs` request. The limits of providers range from a few hundred blocks to no limit, and can be
 * detected only by their errors.
 */
const RANGE_BLOCKS_INITIAL = 4_000
const RANGE_BLOCKS_MAX = 32_000

/** Consecutive failures; enough to halve the largest range down to a single block. */
const FAILURES_MAX = 14

/**
 * Advances a branch to a distant final block in ranges, which are halved after a failure and doubled after a success.
 * Progress is kept if a later range fails.
 */
export async function catchUp(
  branch: Branch,
  reader: AccountConfigReader,
  to: number,
): Promise<void> {
  let rangeBlocks = RANGE_BLOCKS_INITIAL
  let failures = 0
  while (branch.tip.number < to) {
    const last = Math.min(branch.tip.number + rangeBlocks, to)
    try {
      const { end, events } = await readRange(branch, reader, last)
      branch.advance(end, events)
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
 * Reads both ends of a range and its events in one request, so that the answering node must have both ends. The
 * incomplete events of a lagging node would otherwise look like a range without further events.
 */
async function readRange(
  { tip }: Branch,
  reader: AccountConfigReader,
  last: number,
): Promise<{ end: BlockId; events: LoggedEvent[] }> {
  const [before, end, events] = await Promise.all([
    tip.hash === undefined ? undefined : reader.header(tip.number),
    reader.header(last),
    reader.eventsIn(tip.number + 1, last),
  ])
  if (before && before.hash !== tip.hash) throw new DeepReorgError()
  const eventsInEnd = events.filter(({ block }) => block.number === last)
  if (eventsInEnd.some(({ block }) => block.hash !== end.hash))
    throw new UnusableResponseError(
      'the chain was reorganized while a range of blocks was being read',
    )
  // Only the last block was read with its header, so only its bloom filter can be compared with the events.
  if (
    eventsInEnd.length === 0 &&
    reader.mayContainLogs(end) &&
    (await reader.eventsOf(end)).length > 0
  )
    throw new UnusableResponseError('the node omitted events from a range of blocks')
  return { end, events }
}
