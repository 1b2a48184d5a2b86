import type { Branch } from './branch.ts'
import { type BlockId, type ChainReader, type LoggedEvent, UnusableAnswer } from './chain-reader.ts'
import { EventsMissing } from './fold.ts'

/**
 * Blocks per `eth_getLogs` request. The limits of providers range from a few hundred blocks to no limit, and can be
 * detected only by their errors.
 */
const STRETCH_FIRST = 4_000
const STRETCH_MAX = 32_000

/** Consecutive failures; enough to halve the largest range down to a single block. */
const FAILURES_MAX = 14

/**
 * Advances a branch to a distant final block in ranges, which are halved after a failure and doubled after a success.
 * Progress is kept if a later range fails.
 */
export async function catchUp(branch: Branch, reader: ChainReader, to: number): Promise<void> {
  let stretch = STRETCH_FIRST
  let failures = 0
  while (branch.tip.number < to) {
    const last = Math.min(branch.tip.number + stretch, to)
    try {
      const { end, events } = await readStretch(branch, reader, last)
      branch.advance(end, events)
      stretch = Math.min(stretch * 2, STRETCH_MAX)
      failures = 0
    } catch (error) {
      if (error instanceof BranchGone || error instanceof EventsMissing) throw error
      if (++failures > FAILURES_MAX) throw error
      stretch = Math.max(1, stretch >> 1)
    }
  }
}

export class BranchGone extends Error {
  constructor() {
    super('the reorganization is deeper than the kept history')
    this.name = 'BranchGone'
  }
}

/**
 * Reads both ends of a range and its events in one request, so that the answering node must have both ends. The
 * incomplete events of a lagging node would otherwise look like a range without further events.
 */
async function readStretch(
  { tip }: Branch,
  reader: ChainReader,
  last: number,
): Promise<{ end: BlockId; events: LoggedEvent[] }> {
  const [before, end, events] = await Promise.all([
    tip.hash === undefined ? undefined : reader.header(tip.number),
    reader.header(last),
    reader.eventsIn(tip.number + 1, last),
  ])
  if (before && before.hash !== tip.hash) throw new BranchGone()
  const inEnd = events.filter(({ block }) => block.number === last)
  if (inEnd.some(({ block }) => block.hash !== end.hash))
    throw new UnusableAnswer('the chain was reorganized while a range of blocks was being read')
  // Only the last block was read with its header, so only its bloom filter can be compared with the events.
  if (inEnd.length === 0 && reader.mayHoldLogs(end) && (await reader.eventsOf(end)).length > 0)
    throw new UnusableAnswer('the node omitted events from a range of blocks')
  return { end, events }
}
