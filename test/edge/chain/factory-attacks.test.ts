/** Attempts to make a trigger with a factory run for a wrong contract, miss an event, or delay other triggers. */
import { describe, expect, it } from 'vitest'
import { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { CHAIN_EVENT_ADDRESSES_MAX } from '../../../shared/limits.ts'
import { creates, FACTORY, factory, FILTER, on, pool, START, swap } from './some-factory.ts'
import { EVENT, hex, onChain, someLog, TOKEN } from './watched-chain.ts'

describe('a forged creation', () => {
  it(
    'by another contract, or by another event of the factory, names no contract',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      world.chain.mine([
        creates(1, TOKEN),
        { ...creates(2), topics: [hex(32, 7), ...creates(2).topics.slice(1)] },
        swap(1, 1),
        swap(2, 2),
      ])
      await world.poll()
      expect(world.count('learned_contracts')).toBe(0)
      expect(trigger.data).toEqual([])
    }, START),
  )

  it(
    'whose parameter is longer than an address, or missing, names no contract',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      const dirty = `${hex(32, 60)}ff${hex(32, pool(1).slice(2)).slice(4)}`
      world.chain.mine([
        { ...creates(1), data: dirty },
        { ...creates(2), data: '0x' },
        { ...creates(3), topics: creates(3).topics.slice(0, 3) },
        swap(1, 1),
        swap(2, 2),
        swap(3, 3),
      ])
      await world.poll()
      expect(world.count('learned_contracts')).toBe(0)
      expect(trigger.data).toEqual([])
    }, START),
  )

  it.each(['unmatchedLogs', 'orphanedLogs'] as const)(
    'in the response of a node that returns %s names no contract',
    (fault) =>
      onChain(async (world) => {
        const { chain, node } = world
        const trigger = world.subscribe('a', on())
        await world.poll()
        chain.mine([creates(9)])
        chain.reorg(1, [[creates(9, TOKEN), creates(1)]])
        node.faults = { [fault]: 1 }
        await world.poll()
        node.faults = {}
        world.now = () => Date.now() + 120_000
        chain.mine([swap(1, 1), swap(9, 2)])
        for (let polls = 0; polls < 3; polls++) await world.poll()
        expect(trigger.data).toEqual([1])
      }, START)(),
  )
})

describe('a node that lacks a block', () => {
  it(
    'cannot hide a creation or an event by leaving it out of a range',
    onChain(async (world) => {
      const { chain, node } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      node.faults = { missingBlocks: 1 }
      chain.mine([creates(1)])
      chain.mine([swap(1, 1)])
      chain.mine([creates(2), swap(2, 2)])
      await world.poll()
      expect(trigger.data).toEqual([1, 2])
    }, START),
  )
})

describe('a reorganization', () => {
  it(
    'below the start block teaches no contract that was created before it',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('other')
      await world.poll()
      chain.mineEmpty(4)
      await world.poll()
      const from = chain.head.number + 1
      const trigger = world.subscribe('a', on(from))
      const early = world.subscribe('early', {
        ...on(from - 1),
        since: from,
        backfill: { from: from - 1, to: from - 1 },
      })
      await world.poll()
      chain.reorg(3, [[creates(1)], [], [creates(2)], [creates(3)], []])
      chain.mine([swap(1, 1), swap(2, 2), swap(3, 3)])
      for (let polls = 0; polls < 3; polls++) await world.poll()
      expect(trigger.data).toEqual([3])
      expect(early.data).toEqual([2, 3])
    }, START),
  )

  it(
    'during which the watcher is evicted leaves no contract of the dropped branch',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      chain.mine([creates(1), creates(2)])
      await world.poll()
      chain.reorg(1, [[creates(2)], []])
      world.restart()
      await world.poll()
      world.restart()
      chain.mine([swap(1, 1), swap(2, 2)])
      await world.poll()
      expect(world.rows('SELECT address FROM learned_contracts')).toEqual([{ address: pool(2) }])
      expect(trigger.data).toEqual([2])
    }, START),
  )

  it(
    'to another chain forgets all contracts, and learns those of the new chain from the start block on',
    onChain(async (world) => {
      const from = world.chain.head.number + 1
      const trigger = world.subscribe('a', on(from))
      await world.poll()
      world.chain.mine([creates(1), creates(2), swap(1, 1)])
      world.chain.mineEmpty(400)
      await world.poll()
      const other = new ScriptedChain({ salt: 'another', firstBlock: from - 2 })
      other.mine([creates(4)])
      other.mine([creates(3), creates(2)])
      other.mineEmpty(20)
      world.node.chain = other
      for (let polls = 0; polls < 12; polls++) await world.poll()
      other.mine([swap(1, 2), swap(2, 3), swap(3, 4), swap(4, 5)])
      for (let polls = 0; polls < 3; polls++) await world.poll()
      expect(trigger.data).toEqual([1, 3, 4])
    }, START),
  )
})

describe('a flood of creations', () => {
  it(
    'of one contract more than the limit in one block is reported, and delays no other trigger',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      const other = world.subscribe('other')
      await world.poll()
      const flood = Array.from({ length: CHAIN_EVENT_ADDRESSES_MAX + 1 }, (_, at) => creates(at))
      world.chain.mine([...flood, someLog(1)])
      await world.poll()
      expect(trigger.deliveries.some(({ isFactoryFull }) => isFactoryFull)).toBe(true)
      expect(other.data).toEqual([1])
    }, START),
    60_000,
  )

  it(
    'of as many contracts as the limit is not reported',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      const most = Array.from({ length: CHAIN_EVENT_ADDRESSES_MAX }, (_, at) => creates(at))
      world.chain.mine([...most, creates(0), swap(0, 1)])
      await world.poll()
      expect(trigger.deliveries.some(({ isFactoryFull }) => isFactoryFull)).toBe(false)
      expect(trigger.data).toEqual([1])
    }, START),
    60_000,
  )

  it(
    'that no node returns makes only the triggers on this factory wait, and they miss nothing',
    onChain(async (world) => {
      const { chain, node } = world
      const trigger = world.subscribe('a', on())
      const other = world.subscribe('other')
      chain.mineEmpty(1)
      await world.poll()
      node.limits = { logs: 3, logsOfBlock: 3 }
      chain.mine([someLog(1), ...Array.from({ length: 6 }, (_, at) => creates(at)), swap(4, 2)])
      for (let polls = 0; polls < 3; polls++) await world.poll()
      chain.mine([someLog(3), swap(5, 4)])
      await world.poll()
      expect({ own: trigger.data, other: other.data }).toEqual({ own: [], other: [1, 3] })
      node.limits = {}
      const { now } = world
      world.now = () => now() + 120_000
      for (let polls = 0; polls < 3; polls++) await world.poll()
      expect(trigger.data).toEqual([2, 4])
    }, START),
  )
})

describe('an eviction', () => {
  it(
    'at any poll while old contracts are learned loses none of them',
    onChain(async (world) => {
      const { chain } = world
      const from = chain.head.number + 1
      for (let at = 0; at < 30; at++) {
        chain.mine([creates(at), swap(at, at)])
        chain.mineEmpty(100)
      }
      const trigger = world.subscribe('a', {
        ...on(from),
        backfill: { from, to: chain.head.number },
      })
      for (let polls = 0; polls < 6; polls++) {
        await world.poll()
        world.restart()
      }
      expect(trigger.data).toEqual(Array.from({ length: 30 }, (_, at) => at))
    }, START),
  )
})

describe('triggers that share a factory', () => {
  it(
    'each know the contracts from their own start block on, and match their own event',
    onChain(async (world) => {
      const { chain } = world
      const head = chain.head.number
      for (const at of [0, 1, 2]) chain.mine([creates(at)])
      const to = chain.head.number
      const otherEvent = hex(32, 0xe2)
      const triggers = [1, 2, 3].map((at) =>
        world.subscribe(String(at), {
          ...on(head + at),
          backfill: { from: head + at, to },
        }),
      )
      const byToken = world.subscribe('token0', {
        filter: { ...FILTER, topic0: EVENT, factory: { ...factory, argument: 0 } },
        learnFrom: head + 1,
      })
      const byEvent = world.subscribe('event', {
        filter: { ...FILTER, topic0: otherEvent },
        learnFrom: head + 1,
      })
      for (let polls = 0; polls < 3; polls++) await world.poll()
      chain.mine([
        creates(3),
        ...[0, 1, 2, 3].map((at) => swap(at, at)),
        { ...swap(3, 4), topics: [otherEvent] },
        someLog(5, { address: hex(20, 1) }),
      ])
      await world.poll()
      expect(triggers.map(({ data }) => data)).toEqual([
        [0, 1, 2, 3],
        [1, 2, 3],
        [2, 3],
      ])
      expect(byToken.data).toEqual([5])
      expect(byEvent.data).toEqual([4])
    }, START),
  )

  it(
    'do not receive the events of the factory itself',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      world.chain.mine([creates(1), someLog(1, { address: FACTORY }), swap(1, 2)])
      await world.poll()
      expect(trigger.data).toEqual([2])
    }, START),
  )
})
