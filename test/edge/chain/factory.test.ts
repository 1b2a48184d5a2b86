import { describe, expect, it } from 'vitest'
import { readChainConfig, watchesSameEvents } from '../../../edge/chain/chain-config.ts'
import { LearnedContracts } from '../../../edge/chain/factory/learned-contracts.ts'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import { RecentLogSearch } from '../../../edge/chain/backfill/recent-log-search.ts'
import { sleep } from '../../../edge/sleep.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { CHAIN_EVENT_ADDRESSES_MAX } from '../../../shared/limits.ts'
import {
  CONFIG,
  creates,
  CREATED,
  factory,
  FACTORY,
  FILTER,
  on,
  pool,
  START,
  swap,
} from './some-factory.ts'
import { dataOf, hex, onChain, someLog, TOKEN, type WatchedChain } from './watched-chain.ts'

/** Returns the calls of one poll by method. */
async function callsOf(world: WatchedChain): Promise<Record<string, number>> {
  const before = new Map(world.node.methods)
  await world.poll()
  const calls = [...world.node.methods].map(
    ([method, count]) => [method, count - (before.get(method) ?? 0)] as const,
  )
  return Object.fromEntries(calls.filter(([, count]) => count > 0))
}

describe('a trigger on contracts of a factory', () => {
  it(
    'receives the events of contracts that were created since it started, and of no others',
    onChain(async (world) => {
      const { chain } = world
      const other = world.subscribe('other')
      const trigger = world.subscribe('a', on())
      await world.poll()
      chain.mine([swap(1, 1), someLog(2)])
      chain.mine([creates(1), creates(9, TOKEN)])
      await world.poll()
      chain.mine([swap(1, 3), swap(2, 4), swap(9, 5)])
      await world.poll()
      chain.mine([creates(2)])
      chain.mine([swap(2, 6), swap(1, 7)])
      await world.poll()
      expect(trigger.data).toEqual([3, 6, 7])
      expect(other.data).toEqual([2])
    }, START),
  )

  it(
    'receives events in the block of the creation, but only those that come after it',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      world.chain.mine([swap(1, 1), creates(1), swap(1, 2), swap(2, 3), creates(2), swap(2, 4)])
      await world.poll()
      expect(trigger.data).toEqual([2, 4])
    }, START),
  )

  it(
    'stores no events of other contracts',
    onChain(async (world) => {
      world.subscribe('a', { ...on(), finality: 5 })
      await world.poll()
      world.chain.mine([creates(1), swap(1, 1), swap(2, 2), swap(3, 3)])
      await world.poll()
      expect(world.count('logs')).toBe(1)
    }, START),
  )

  it(
    'forgets a contract that was created in a dropped block',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      chain.mine([creates(1)])
      chain.mine([creates(2)])
      await world.poll()
      expect(world.count('learned_contracts')).toBe(2)
      chain.reorg(1, [[creates(3)], []])
      await world.poll()
      chain.mine([swap(1, 1), swap(2, 2), swap(3, 3)])
      await world.poll()
      expect(trigger.data).toEqual([1, 3])
    }, START),
  )

  it(
    'learns a contract at its new place, if a reorganization moved the creation',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      chain.mine([creates(1), swap(1, 1)])
      await world.poll()
      chain.reorg(1, [[swap(1, 2)], [swap(1, 3), creates(1), swap(1, 4)]])
      await world.poll()
      expect(trigger.data).toEqual([1, 4])
      expect(trigger.deliveries.some(({ reorgedAbove }) => reorgedAbove !== undefined)).toBe(true)
    }, START),
  )

  it(
    'knows its contracts after an eviction',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      chain.mine([creates(1)])
      await world.poll()
      world.restart()
      chain.mine([swap(1, 1)])
      await world.poll()
      expect(trigger.data).toEqual([1])
    }, START),
  )

  it(
    'receives an event only after it is final',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', { ...on(), finality: 2 })
      await world.poll()
      chain.mine([creates(1), swap(1, 1)])
      chain.mineEmpty(1)
      await world.poll()
      expect(trigger.data).toEqual([])
      chain.mineEmpty(1)
      await world.poll()
      expect(trigger.data).toEqual([1])
    }, START),
  )

  it(
    'learns the contracts from its start block on, and receives their old and new events',
    onChain(async (world) => {
      const { chain } = world
      chain.mine([creates(0), swap(0, 1)])
      const from = chain.head.number + 1
      chain.mine([creates(1), swap(1, 2)])
      chain.mineEmpty(1_500)
      chain.mine([creates(2), swap(1, 3), swap(0, 4)])
      const trigger = world.subscribe('a', {
        ...on(from),
        backfill: { from, to: chain.head.number },
      })
      for (let polls = 0; polls < 4; polls++) await world.poll()
      expect(trigger.data).toEqual([2, 3])
      chain.mine([swap(0, 5), swap(1, 6), swap(2, 7)])
      await world.poll()
      expect(trigger.data).toEqual([2, 3, 6, 7])
      expect(trigger.deliveries.some(({ backfillAt }) => backfillAt === null)).toBe(true)
    }, START),
  )

  it(
    'receives no old events when it is enabled again, but knows the contracts of its disabled time',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      const from = chain.head.number + 1
      await world.poll()
      world.watch.unsubscribe('a', world.nextVersion())
      chain.mine([creates(1), swap(1, 1)])
      world.subscribe('a', { ...on(from), generation: 2 })
      for (let polls = 0; polls < 3; polls++) await world.poll()
      chain.mine([swap(1, 2)])
      await world.poll()
      expect(trigger.data).toEqual([2])
    }, START),
  )

  it(
    'misses nothing in a long outage',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      const other = world.subscribe('other')
      await world.poll()
      chain.mine([creates(1), swap(1, 1)])
      await world.poll()
      chain.mine([swap(1, 2), someLog(3)])
      chain.mineEmpty(600)
      chain.mine([creates(2), swap(2, 4)])
      chain.mineEmpty(700)
      chain.mine([swap(1, 5), swap(2, 6)])
      for (let polls = 0; polls < 5; polls++) await world.poll()
      expect(trigger.data).toEqual([1, 2, 4, 5, 6])
      expect(other.data).toEqual([3])
    }, START),
  )

  it(
    'waits for its start block in the future',
    onChain(async (world) => {
      const { chain } = world
      const since = chain.head.number + 4
      const trigger = world.subscribe('a', { ...on(since), since })
      await world.poll()
      chain.mine([creates(1)])
      await world.poll()
      chain.mineEmpty(2)
      await world.poll()
      chain.mine([swap(1, 1), creates(2), swap(2, 2)])
      await world.poll()
      await world.poll()
      expect(trigger.data).toEqual([2])
    }, START),
  )

  it(
    'makes as many calls in a poll as a thousand such triggers',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('0', on())
      await world.poll()
      chain.mine([creates(0), swap(0, 1)])
      await world.poll()
      chain.mine([creates(1), swap(1, 2)])
      const calls = await callsOf(world)
      expect(calls).toEqual({ eth_getBlockByNumber: 1, eth_getBlockByHash: 2, eth_getLogs: 2 })
      for (let at = 1; at < 1_000; at++) world.subscribe(String(at), on())
      await world.poll()
      chain.mine(Array.from({ length: 5 }, (_, at) => creates(2 + at)))
      await world.poll()
      chain.mine([creates(7), swap(7, 3)])
      expect(await callsOf(world)).toEqual(calls)
      expect(world.trigger('0').data).toEqual([1, 2, 3])
      expect(world.trigger('999').data).toEqual([3])
    }, START),
  )

  it(
    'is notified that its factory has too many contracts until it ends, even after an eviction',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on())
      await world.poll()
      for (let mined = 0; mined <= CHAIN_EVENT_ADDRESSES_MAX; mined += 2_500)
        chain.mine(Array.from({ length: 2_500 }, (_, at) => creates(mined + at)))
      await world.poll()
      const told = () => trigger.deliveries.filter(({ isFactoryFull }) => isFactoryFull)
      expect(told().length).toBeGreaterThan(0)
      expect(world.count('learned_contracts')).toBe(CHAIN_EVENT_ADDRESSES_MAX + 1)
      trigger.deliveries = []
      world.restart()
      await world.poll()
      expect(told()).toHaveLength(1)
      trigger.state = 'over'
      await world.poll()
      expect(world.watch.isWatching).toBe(false)
      expect(world.count('learned_contracts')).toBe(0)
    }, START),
    60_000,
  )

  it(
    'ignores logs of its factory that do not name a contract',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on())
      await world.poll()
      const { topics } = creates(1)
      world.chain.mine([
        { ...creates(1), topics: topics.slice(0, 2) },
        { ...creates(1), data: hex(32, 60) },
        swap(1, 1),
      ])
      await world.poll()
      expect(trigger.data).toEqual([])
    }, START),
  )
})

describe('a preview of a trigger with a factory', () => {
  it(
    'shows events of contracts that were created in the searched blocks, after their creation',
    onChain(async (world) => {
      const { chain, reader } = world
      chain.mine([swap(1, 1), creates(1), swap(1, 2), swap(2, 3)])
      chain.mineEmpty(3)
      chain.mine([swap(1, 4)])
      const search = new RecentLogSearch(reader, new RangeSize(), sleep)
      const found = await search.find(on().filter, chain.head.number, 5)
      if (found.state !== 'found') throw new Error(found.state)
      expect(dataOf(found.logs)).toEqual([4, 2])
    }, START),
  )

  it(
    'shows events in later blocks than were read when the creation was found, once each',
    onChain(async (world) => {
      const { chain, reader } = world
      chain.mine([swap(1, 1), creates(1), swap(1, 2)])
      chain.mineEmpty(150)
      chain.mine([swap(1, 3), creates(1), creates(2), swap(1, 4), swap(2, 5)])
      chain.mineEmpty(150)
      chain.mine([swap(1, 6)])
      const search = new RecentLogSearch(reader, new RangeSize(), sleep)
      const found = await search.find(on().filter, chain.head.number, 5)
      if (found.state !== 'found') throw new Error(found.state)
      expect(dataOf(found.logs)).toEqual([6, 5, 4, 3, 2])
    }, START),
  )
})

describe('contracts of a factory', () => {
  it('match from the log that named them', () => {
    const learned = new LearnedContracts()
    learned.add([
      { address: pool(2), at: { block: 5, logIndex: 3 } },
      { address: pool(1), at: { block: 7, logIndex: 0 } },
    ])
    learned.add([{ address: pool(2), at: { block: 9, logIndex: 0 } }])
    expect(learned.isBefore(pool(2), { block: 5, logIndex: 3 })).toBe(false)
    expect(learned.isBefore(pool(2), { block: 5, logIndex: 4 })).toBe(true)
    expect(learned.isBefore(pool(3), { block: 9, logIndex: 4 })).toBe(false)
    learned.forgetAbove(6)
    expect([learned.size, learned.has(pool(1)), learned.has(pool(2))]).toEqual([1, false, true])
  })
})

describe('config.factory', () => {
  const problemOf = (over: object) => {
    try {
      readChainConfig({ ...CONFIG, ...over })
    } catch (error) {
      return toApiError(error)?.message
    }
    return undefined
  }
  const withFactory = (over: object) => problemOf({ factory: { ...CONFIG.factory, ...over } })

  it('takes the place of the contracts', () => {
    expect(factory).toEqual({
      address: FACTORY,
      topic0: factory.topic0,
      signature: CREATED,
      argument: 4,
    })
    expect(FILTER.address).toBeNull()
    expect(problemOf({ contract_address: TOKEN })).toContain('contract_address')
    expect(problemOf({ addresses: [TOKEN] })).toContain('addresses')
  })

  it('names the field that is wrong', () => {
    expect(problemOf({ factory: 'x' })).toContain('config.factory')
    expect(withFactory({ address: '0x1' })).toContain('config.factory.address')
    expect(withFactory({ event: 'Pool(' })).toContain('config.factory.event')
    expect(withFactory({ event: 'Handed(address,address)' })).toContain('indexed')
    expect(withFactory({ parameter: 'fee' })).toContain('config.factory.parameter')
    expect(withFactory({ parameter: 'nothing' })).toContain('config.factory.parameter')
    expect(withFactory({ parameter: undefined })).toContain('config.factory.parameter')
    expect(withFactory({ start: 1 })).toContain('config.factory.start')
    expect(withFactory({ parameter: 'arg4' })).toBeUndefined()
  })

  it('restarts the trigger if it changes', () => {
    const one = readChainConfig(CONFIG)
    const other = readChainConfig({
      ...CONFIG,
      factory: { ...CONFIG.factory, parameter: 'token0' },
    })
    expect(watchesSameEvents(one, readChainConfig({ ...CONFIG }))).toBe(true)
    expect(watchesSameEvents(one, other)).toBe(false)
  })
})
