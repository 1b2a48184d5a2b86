import type {
  ScriptedBlock,
  ScriptedTransaction,
} from '../../../doubles/chain-node/scripted-block.ts'
import type { BlockContents } from '../../../doubles/chain-node/scripted-chain.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'
import type { Traffic } from './contracts.ts'

/**
 * Creates the blocks of a new branch: transactions of the old branch keep their block, move to another block or
 * position, emit other logs, or disappear; and new transactions are added.
 * @param count number of blocks of the new branch
 */
export function newBranch(
  orphans: readonly ScriptedBlock[],
  count: number,
  random: Random,
  traffic: Traffic,
  transaction: (logs: ReturnType<Traffic['logs']>) => ScriptedTransaction,
): BlockContents[] {
  const blocks: ScriptedTransaction[][] = Array.from({ length: count }, () => [])
  if (count === 0) return []
  const put = (place: number, moved: ScriptedTransaction) => {
    const block = blocks[Math.min(place, count - 1)]!
    if (random.chance(0.7)) block.push(moved)
    else block.unshift(moved)
  }
  for (const [place, orphan] of orphans.entries())
    for (const old of orphan.transactions) {
      const fate = random.integer(1, 100)
      if (fate <= 55) put(place, old)
      else if (fate <= 75) put(random.integer(0, count - 1), old)
      else if (fate <= 85) put(place, { hash: old.hash, logs: traffic.logs() })
      // All other transactions disappear.
    }
  for (const block of blocks)
    if (random.chance(0.3))
      block.splice(random.integer(0, block.length), 0, transaction(traffic.logs()))
  return blocks
}
