import type { Branch } from './branch.ts'
import { type BlockId, type ChainReader, type LoggedEvent, UnusableAnswer } from './chain-reader.ts'
import { EventsMissing } from './fold.ts'

/** Blocks in one question. Providers allow between a few hundred and all; which, their errors tell. */
const STRETCH_FIRST = 4_000
const STRETCH_MAX = 32_000

/** Failures one after the other at a stretch of one block, or for reasons that smaller stretches do not mend. */
const FAILURES_MAX = 14

/**
 * Reads a long way up to a final block, by stretches: half as long after each failure, twice as long after each
 * success. What was read stays when a later stretch fails.
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

/** The chain has other blocks than those that the branch was made of, deeper than it can go back. */
export class BranchGone extends Error {
  constructor() {
    super('the chain was replaced below what can be undone')
    this.name = 'BranchGone'
  }
}

/**
 * The node that answers has to know both ends in the same request: one that lags would answer as much as it has,
 * which looks like a stretch without events.
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
  // The one block of the stretch of which it is known whether it can have events.
  if (inEnd.length === 0 && reader.mayHoldLogs(end) && (await reader.eventsOf(end)).length > 0)
    throw new UnusableAnswer('the chain left out events of a stretch')
  return { end, events }
}
