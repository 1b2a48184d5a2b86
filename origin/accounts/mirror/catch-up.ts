import type { Branch } from './branch.ts'
import { type BlockId, type ChainReader, type LoggedEvent, UnusableAnswer } from './chain-reader.ts'
import { EventsMissing } from './fold.ts'

/**
 * Blocks per `eth_getLogs` request. Provider limits range from a few hundred blocks to no limit and show only as
 * errors.
 */
const STRETCH_FIRST = 4_000
const STRETCH_MAX = 32_000

/** Maximum consecutive failures: enough to halve the largest range to one block. */
const FAILURES_MAX = 14

/**
 * Advances a branch to a distant final block in ranges. The range is halved after a failure and doubled after a
 * success. Progress is kept if a later range fails.
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

/** The chain was reorganized below the branch's base, deeper than the branch can be undone. */
export class BranchGone extends Error {
  constructor() {
    super('the chain was replaced below what can be undone')
    this.name = 'BranchGone'
  }
}

/**
 * Reads both ends and the events of a range in one request, so that the answering node must have both ends. A lagging
 * node would otherwise return only the events it has, which looks like a range without events.
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
    throw new UnusableAnswer('the chain changed while a stretch of it was read')
  // The end is the only block of the range with a header, so only its bloom can be checked against the events.
  if (inEnd.length === 0 && reader.mayHoldLogs(end) && (await reader.eventsOf(end)).length > 0)
    throw new UnusableAnswer('the chain left out events of a stretch')
  return { end, events }
}
