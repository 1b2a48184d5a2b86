import { expect, it } from 'vitest'
import type { BlockHeader, Tip } from '../../../../shared/rpc/block-header.ts'
import { finalBlocks } from '../../../../edge/chain/watch/finality-watermarks.ts'
import { toWatermarkKey } from '../../../../edge/chain/watch/subscriptions.ts'
import type { WatchState } from '../../../../edge/chain/watch/watch-state.ts'

const MARK = toWatermarkKey('finalized')
const header = (number: number, hash: string) => ({
  number,
  hash,
  parentHash: '0x',
  timestamp: 0,
  logsBloom: '0x',
})

/** Returns the final block of a chain with block 5 stored. */
function finalOf(finalized: BlockHeader): number | undefined {
  const state = {
    subscriptions: { all: () => [{ watermarkKey: MARK, finality: 'finalized' }] },
    unfinalized: { hashAt: (number: number) => (number === 5 ? '0xkept' : undefined) },
  } as unknown as WatchState
  const tip: Tip = { latest: header(9, '0xhead'), finalized }
  return finalBlocks(state, tip, 9).get(MARK)
}

it('ignores a finalized block of another branch', () => {
  expect(finalOf(header(5, '0xother'))).toBeUndefined()
})

it.each([
  ['that is kept', header(5, '0xkept')],
  ['at a height that is not kept', header(4, '0xany')],
])('accepts a finalized block %s', (_, finalized) => {
  expect(finalOf(finalized)).toBe(finalized.number)
})
