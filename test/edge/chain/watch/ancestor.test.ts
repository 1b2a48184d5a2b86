import { expect, it } from 'vitest'
import type { BlockHeader } from '../../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../../shared/rpc/chain-read-errors.ts'
import { findCommonAncestor } from '../../../../edge/chain/watch/ancestor.ts'

const kept = { first: 0, hashAt: (number: number) => `kept ${number}` }

/** Each request goes to the next node, which shares the stored chain up to its fork; the last node keeps answering. */
function readerOf(...forks: number[]) {
  let asked = 0
  return {
    headersOf: async (numbers: readonly number[]) => {
      const fork = forks[Math.min(asked++, forks.length - 1)]!
      return numbers.map(
        (number) =>
          ({ number, hash: `${number <= fork ? 'kept' : 'other'} ${number}` }) as BlockHeader,
      )
    },
  }
}

it('finds the highest block that the chain and the stored chain share', async () => {
  for (const fork of [0, 1, 37, 99, 100])
    expect(await findCommonAncestor(readerOf(fork), kept, 100)).toBe(fork)
})

it('rejects responses of nodes that disagree about a block of the search', async () => {
  await expect(findCommonAncestor(readerOf(37, -1), kept, 100)).rejects.toThrow(NodeLaggingError)
})
