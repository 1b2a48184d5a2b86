/** Processes that send transactions are killed between any two steps. */
import { it } from 'vitest'
import { boundsOr } from '../../../nightly/bounds.ts'
import { playKills } from './kill-campaign.ts'

const bounds = boundsOr({ first: 1, count: 40 })
const TIMEOUT_MS = 300_000 + bounds.count * 10_000

it(
  'sends each transaction once and leaves no gap, whatever is killed, lost, reordered or reorganized',
  async ({ task }) => {
    // Odd pieces have a single node, whose lag and errors nothing outvotes.
    const nodes = bounds.first % 2 === 0 ? 3 : 1
    task.meta.figures = await playKills(bounds, { processes: 3, wallets: 3, nodes })
  },
  TIMEOUT_MS,
)
