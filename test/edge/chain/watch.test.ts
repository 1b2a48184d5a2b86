import { describe, expect, it } from 'vitest'
import { dataOf, EVENT, hex, onChain, someLog, TOKEN } from './watched-chain.ts'

const START = { firstBlock: 1_000 }

describe('a trigger', () => {
  it(
    'is told of each log that matches, in order, and of no other',
    onChain(async (world) => {
      const { chain } = world
      chain.mine([someLog(1)])
      const trigger = world.subscribe('a')
      await world.poll()
      chain.mine([
        someLog(2),
        someLog(90, { address: hex(20, 0xa2) }),
        someLog(91, { topics: [hex(32, 0xe2)] }),
        someLog(3),
      ])
      await world.poll()
      chain.mine([someLog(4)])
      chain.mine([])
      chain.mine([someLog(5)])
      await world.poll()
      await world.poll()
      expect(trigger.data).toEqual([2, 3, 4, 5])
      expect(trigger.taken[0]).toMatchObject({ address: TOKEN, topics: [EVENT], logIndex: 0 })
    }, START),
  )

  it(
    'with topic filters is told of what passes them, whatever others of the same event want',
    onChain(async (world) => {
      const topics = (second: number) => [EVENT, hex(32, second)]
      const all = world.subscribe('all')
      const some = world.subscribe('some', {
        filter: { address: TOKEN, topic0: EVENT, topics: [[hex(32, 7), hex(32, 8)]] },
      })
      world.chain.mine([
        someLog(1),
        someLog(2, { topics: topics(7) }),
        someLog(3, { topics: topics(9) }),
        someLog(4, { topics: topics(8) }),
      ])
      await world.poll()
      expect({ all: all.data, some: some.data }).toEqual({ all: [1, 2, 3, 4], some: [2, 4] })
    }),
  )

  it(
    'hears of a block only once it is final for it',
    onChain(async (world) => {
      const { chain } = world
      chain.mineEmpty(80)
      const latest = world.subscribe('latest')
      const deep = world.subscribe('deep', { finality: 3 })
      const safe = world.subscribe('safe', { finality: 'safe' })
      const finalized = world.subscribe('finalized', { finality: 'finalized' })
      await world.poll()
      chain.mine([someLog(1)])
      const told = [latest, deep, safe, finalized]
      const after = async (blocks: number) => {
        chain.mineEmpty(blocks)
        await world.poll()
        return told.map(({ taken }) => taken.length)
      }
      expect(await after(0)).toEqual([1, 0, 0, 0])
      expect(await after(2)).toEqual([1, 0, 0, 0])
      expect(await after(1)).toEqual([1, 1, 0, 0])
      expect(await after(28)).toEqual([1, 1, 0, 0])
      expect(await after(1)).toEqual([1, 1, 1, 0])
      expect(await after(31)).toEqual([1, 1, 1, 0])
      expect(await after(1)).toEqual([1, 1, 1, 1])
    }, START),
  )

  it(
    'that came between two looks hears of the blocks that were looked through meanwhile',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('first', { filter: { address: hex(20, 1), topic0: EVENT, topics: [] } })
      await world.poll()
      const since = chain.head.number + 1
      chain.mine([someLog(1)])
      chain.mine([])
      chain.mine([someLog(2)])
      await world.poll()
      const late = world.subscribe('late', { since })
      chain.mine([someLog(3)])
      await world.poll()
      await world.poll()
      expect(late.data).toEqual([1, 2, 3])
      expect(world.count('lanes')).toBe(0)
    }, START),
  )
})

describe('reorganisations', () => {
  it(
    'are told before what comes instead, and only to who may have seen what went',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a')
      const other = world.subscribe('b', {
        filter: { address: TOKEN, topic0: hex(32, 2), topics: [] },
      })
      await world.poll()
      chain.mine([someLog(1)])
      chain.mine([someLog(2)])
      await world.poll()
      const ancestor = chain.head.number - 1
      chain.reorg(1, [[someLog(3)], [someLog(4)]])
      await world.poll()
      expect(trigger.data).toEqual([1, 2, 3, 4])
      const [, notice] = trigger.deliveries
      expect(notice).toMatchObject({ reorgedAbove: ancestor })
      expect(dataOf(notice!.logs)).toEqual([3, 4])
      expect(other.deliveries).toEqual([])
      expect(world.count('notices')).toBe(0)
    }, START),
  )

  it(
    'of any depth that is kept leave one linked chain, with the logs of its blocks',
    onChain(
      async (world) => {
        const { chain } = world
        const trigger = world.subscribe('a')
        await world.poll()
        for (const depth of [1, 2, 7, 40, 64]) {
          for (let mined = 0; mined < 64; mined++) chain.mine([someLog(mined)])
          await world.poll()
          trigger.taken = []
          chain.reorg(
            depth,
            Array.from({ length: depth + 1 }, () => [someLog(depth)]),
          )
          await world.poll()
          expect(trigger.data).toEqual(Array.from({ length: depth + 1 }, () => depth))
          expectLinked(world)
        }
      },
      { ...START, finalizedDepth: 500 },
    ),
  )

  it(
    'below the block that a trigger began at bring it nothing from before that block',
    onChain(async (world) => {
      const { chain } = world
      const other = world.subscribe('other')
      await world.poll()
      for (let mined = 1; mined <= 6; mined++) chain.mine([someLog(mined)])
      await world.poll()
      const { number: head } = chain.head
      chain.reorg(
        4,
        [13, 14, 15, 16, 17].map((data) => [someLog(data)]),
      )
      // Both come before the watcher has seen that the chain has another branch.
      const backfill = { from: head - 1, to: head }
      const trigger = world.subscribe('a', { backfill, since: head + 1 })
      await world.poll()
      await world.poll()
      expect(other.data).toEqual([1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 17])
      expect(trigger.data.toSorted()).toEqual([15, 16, 17])
    }, START),
  )

  it(
    'above the mark of a deeper finality are nothing to its triggers',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', { finality: 3 })
      await world.poll()
      chain.mine([someLog(1)])
      chain.mine([someLog(2)])
      await world.poll()
      chain.reorg(2, [[someLog(3)], [], [], []])
      await world.poll()
      await world.poll()
      expect(
        trigger.deliveries.map(({ logs, reorgedAbove }) => [dataOf(logs), reorgedAbove]),
      ).toEqual([[[3], undefined]])
    }, START),
  )

  it(
    'that a trigger could not be told of are told as one, from the lowest block, before newer logs',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a')
      await world.poll()
      for (const data of [1, 2, 3]) chain.mine([someLog(data)])
      await world.poll()
      trigger.state = 'failing'
      const lowest = chain.head.number - 3
      chain.reorg(3, [[someLog(4)], [], [someLog(5)]])
      await world.poll()
      chain.reorg(1, [[someLog(6)], []])
      await world.poll()
      world.restart()
      trigger.state = 'well'
      trigger.deliveries = []
      world.now = () => Date.now() + 60_000
      await world.poll()
      const [first, ...others] = trigger.deliveries
      expect(first).toMatchObject({ reorgedAbove: lowest })
      expect(others.map(({ reorgedAbove }) => reorgedAbove)).toEqual(others.map(() => undefined))
      expect(dataOf(trigger.deliveries.flatMap(({ logs }) => logs))).toEqual([4, 6])
      expect(world.count('notices')).toBe(0)
    }, START),
  )
})

function expectLinked(world: import('./watched-chain.ts').WatchedChain): void {
  const blocks = world.rows<{ number: number; hash: string; parent_hash: string }>(
    'SELECT number, hash, parent_hash FROM blocks ORDER BY number',
  )
  for (const [at, { number, parent_hash }] of blocks.entries()) {
    expect(world.chain.at(number)?.hash).toBe(blocks[at]!.hash)
    if (at > 0)
      expect([number, parent_hash]).toEqual([blocks[at - 1]!.number + 1, blocks[at - 1]!.hash])
  }
}
