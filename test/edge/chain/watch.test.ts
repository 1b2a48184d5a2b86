import { describe, expect, it, vi } from 'vitest'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import { packAddresses } from '../../../edge/chain/matching/address-list.ts'
import { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { dataOf, EVENT, hex, onChain, someLog, TOKEN, type WatchedChain } from './watched-chain.ts'

const START = { firstBlock: 1_000 }

describe('a trigger', () => {
  it(
    'receives each matching log, in order, and no others',
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
    'with topic filters receives only logs that pass them, whatever other triggers of the event want',
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
    'receives a block only after it is final for the trigger',
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
    'that was created between two polls receives the blocks that were read in the meantime',
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

describe('the events of other contracts', () => {
  it(
    'do not block other triggers with a log larger than a storage row, which is still delivered',
    onChain(async (world) => {
      const { chain } = world
      const own = world.subscribe('own')
      const address = hex(20, 0xbad)
      const late = world.subscribe('late', { filter: { address, topic0: EVENT, topics: [] } })
      await world.poll()
      const data = `0x${'ab'.repeat(2_500_000)}`
      late.room = 0
      chain.mine([someLog(1), someLog(0, { address, data }), someLog(2)])
      await world.poll()
      chain.mine([someLog(3)])
      await world.poll()
      expect(own.data).toEqual([1, 2, 3])
      const rows = world.rows<{ bytes: number }>(
        'SELECT max(length(log)) AS bytes FROM logs UNION SELECT max(length(text)) FROM log_parts',
      )
      expect(Math.max(...rows.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1024 * 1024)
      late.room = 9
      world.watch.roomFor('late')
      await world.settle()
      expect(late.taken.map((log) => log.data === data)).toEqual([true])
    }, START),
  )

  it.each([1, 3])(
    'do not block other triggers while the provider refuses their block, and are delivered later; %i blocks per poll',
    (blocks) =>
      onChain(async (world) => {
        const { chain, node } = world
        const address = hex(20, 0xbad)
        const filter = { address, topic0: EVENT, topics: [] }
        const own = world.subscribe('own')
        const flooded = world.subscribe('flooded', { filter })
        chain.mineEmpty(1)
        await world.poll()
        node.limits = { logs: 5, logsOfBlock: 5 }
        chain.mine([
          someLog(1),
          ...[11, 12, 13, 14, 15, 16, 17].map((n) => someLog(n, { address })),
        ])
        chain.mineEmpty(blocks - 1)
        for (let look = 0; look < 3; look++) await world.poll()
        chain.mine([someLog(2), someLog(18, { address })])
        await world.poll()
        await world.poll()
        expect({ own: own.data, flooded: flooded.data }).toEqual({ own: [1, 2], flooded: [] })
        node.limits = {}
        const { now } = world
        world.now = () => now() + 120_000
        for (let look = 0; look < 3; look++) await world.poll()
        expect(flooded.data).toEqual([11, 12, 13, 14, 15, 16, 17, 18])
      }, START)(),
  )

  it(
    'do not block other triggers from catching up after an outage if the provider refuses a block',
    onChain(async (world) => {
      const { chain, node } = world
      const address = hex(20, 0xbad)
      const own = world.subscribe('own')
      const filter = { address, topic0: EVENT, topics: [] }
      const flooded = world.subscribe('flooded', { filter })
      await world.poll()
      node.limits = { logs: 2, logsOfBlock: 2 }
      chain.mine([someLog(1), ...[11, 12, 13].map((n) => someLog(n, { address }))])
      chain.mineEmpty(900)
      chain.mine([someLog(2)])
      await vi.waitFor(async () => {
        await world.watch.poll()
        expect(own.data).toEqual([1, 2])
      })
      expect(flooded.data).toEqual([])
      node.limits = {}
      await vi.waitFor(() => expect(flooded.data).toEqual([11, 12, 13]), 10_000)
      world.watch.unsubscribe('flooded', 99)
      await world.settle()
    }, START),
  )
})

describe('reorgs', () => {
  it(
    'are announced before the replacement logs, and only to triggers that may have received removed ones',
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
    'of any stored depth leave one linked chain, with the logs of its blocks',
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
    'below the start block of a trigger deliver nothing from before that block',
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
      // The backfill and the live range are both set before the watcher has noticed the new branch.
      const backfill = { from: head - 1, to: head }
      const trigger = world.subscribe('a', { backfill, since: head + 1 })
      await world.poll()
      await world.poll()
      expect(other.data).toEqual([1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 17])
      expect(trigger.data).toHaveLength(3)
      expect(trigger.data).toEqual(expect.arrayContaining([15, 16, 17]))
    }, START),
  )

  it(
    'deliver nothing from the disabled period to a re-enabled trigger, and replaced backfill events once',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('other')
      await world.poll()
      for (let mined = 1; mined <= 6; mined++) chain.mine([someLog(mined)])
      await world.poll()
      const { number: head } = chain.head
      const backfill = { from: head - 5, to: head - 3 }
      const trigger = world.subscribe('a', { backfill, since: head + 1 })
      await world.poll()
      expect(trigger.data).toEqual([1, 2, 3])
      world.restart()
      chain.reorg(
        5,
        [12, 13, 14, 15, 16, 17].map((data) => [someLog(data)]),
      )
      await world.poll()
      await world.poll()
      expect(trigger.data.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 12, 13, 17])
      expect(world.watch.status()).toMatchObject({ backfills: 0 })
      chain.mineEmpty(400)
      await world.poll()
      await world.poll()
      expect(world.count('lanes')).toBe(0)
    }, START),
  )

  it(
    'above the final block of a trigger are not announced to it',
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
    'that could not be announced are merged into one from the lowest block, before newer logs',
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

describe('a trigger that accepts no logs', () => {
  it(
    'because its queue is full resumes at the first rejected log, and delays no other trigger',
    onChain(async (world) => {
      const { chain } = world
      const full = world.subscribe('full')
      const other = world.subscribe('other')
      full.room = 2
      await world.poll()
      chain.mine([someLog(1), someLog(2), someLog(3)])
      await world.poll()
      chain.mine([someLog(4)])
      await world.poll()
      expect({ full: full.data, other: other.data }).toEqual({ full: [1, 2], other: [1, 2, 3, 4] })
      expect(world.watch.status()).toMatchObject({ triggers: 2, behind: 1 })
      full.room = 100
      world.watch.roomFor('full')
      await world.settle()
      expect(full.data).toEqual([1, 2, 3, 4])
      chain.mine([someLog(5)])
      await world.poll()
      expect(full.data).toEqual([1, 2, 3, 4, 5])
      expect(world.count('lanes')).toBe(0)
    }, START),
  )

  it(
    'because its queue is full receives all logs of a page, and then those of the next page',
    onChain(async (world) => {
      const { chain } = world
      const full = world.subscribe('full')
      full.room = 0
      await world.poll()
      const data = Array.from({ length: 450 }, (_, at) => at)
      chain.mine(data.map((one) => someLog(one)))
      await world.poll()
      full.room = 1_000
      world.watch.roomFor('full')
      await world.settle()
      expect(full.data).toEqual(data)
    }, START),
  )

  it(
    'because its object does not respond is retried later, and delays other triggers by one poll at most',
    onChain(async (world) => {
      const { chain } = world
      const silent = world.subscribe('silent')
      const other = world.subscribe('other')
      await world.poll()
      silent.state = 'silent'
      world.isPatient = false
      chain.mine([someLog(1)])
      await world.poll()
      chain.mine([someLog(2)])
      await world.poll()
      expect(other.data).toEqual([1, 2])
      silent.state = 'well'
      world.restart()
      world.now = () => Date.now() + 60_000
      await world.poll()
      expect(silent.data).toEqual([1, 2])
    }, START),
  )

  it(
    'because it is over receives nothing more',
    onChain(async (world) => {
      const gone = world.subscribe('gone')
      world.subscribe('other', { filter: { address: hex(20, 1), topic0: EVENT, topics: [] } })
      await world.poll()
      gone.state = 'over'
      world.chain.mine([someLog(1)])
      await world.poll()
      gone.state = 'well'
      world.chain.mine([someLog(2)])
      await world.poll()
      expect(gone.data).toEqual([])
      expect(world.watch.status().triggers).toBe(1)
    }, START),
  )

  it(
    'and lags so far that its blocks are no longer stored reads them separately',
    onChain(async (world) => {
      const { chain } = world
      const full = world.subscribe('full')
      full.room = 0
      await world.poll()
      chain.mine([someLog(1)])
      chain.mine([someLog(2)])
      await world.poll()
      for (let mined = 0; mined < 400; mined += 100) {
        chain.mineEmpty(100)
        await world.poll()
      }
      expect(world.rows('SELECT number FROM blocks').length).toBeLessThan(320)
      full.room = 10
      chain.mine([someLog(3)])
      world.watch.roomFor('full')
      await world.settle()
      await world.poll()
      await world.poll()
      expect(full.data).toEqual([1, 2, 3])
      expect(world.count('lanes')).toBe(0)
    }, START),
  )
})

describe('a watcher that is killed', () => {
  it(
    'during a delivery repeats the delivery and continues',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a')
      await world.poll()
      chain.mine([someLog(1)])
      const told = new Promise<void>((resolve) => {
        trigger.onDelivery = () => {
          resolve()
          return new Promise(() => {})
        }
      })
      void world.watch.poll()
      await told
      trigger.onDelivery = async () => {}
      world.restart()
      chain.mine([someLog(2)])
      await world.poll()
      expect(trigger.data).toEqual([1, 1, 2])
    }, START),
  )

  it(
    'after delivering a block that a reorg removes still announces the reorg',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a')
      await world.poll()
      const ancestor = chain.head.number
      chain.mine([someLog(1)])
      const told = new Promise<void>((resolve) => {
        trigger.onDelivery = () => {
          resolve()
          return new Promise(() => {})
        }
      })
      void world.watch.poll()
      await told
      trigger.onDelivery = async () => {}
      world.restart()
      chain.reorg(1, [[], []])
      await world.poll()
      expect(trigger.deliveries.at(-1)).toMatchObject({ reorgedAbove: ancestor, logs: [] })
    }, START),
  )
})

describe('an endpoint that', () => {
  it(
    'reports a lower head is lagging, unless the head stays lower',
    onChain(async (world) => {
      const { chain, node } = world
      const trigger = world.subscribe('a')
      await world.poll()
      chain.mine([someLog(1)])
      chain.mine([someLog(2)])
      await world.poll()
      node.views = [{ lag: 1 }] as never
      for (let looks = 0; looks < 9; looks++) await world.poll()
      expect(trigger.deliveries).toHaveLength(1)
      await world.poll()
      expect(trigger.deliveries.at(-1)).toMatchObject({ reorgedAbove: chain.head.number - 1 })
      node.views = [{ lag: 0 }] as never
      await world.poll()
      expect(trigger.data).toEqual([1, 2, 2])
    }, START),
  )

  it(
    'omits logs that the bloom filter of a block may contain is queried again',
    onChain(async (world) => {
      const { chain, node } = world
      const trigger = world.subscribe('a')
      await world.poll()
      node.faults = { missingBlocks: 1 }
      chain.mine([someLog(1)])
      chain.mine([])
      chain.mine([someLog(2)])
      await world.poll()
      expect(trigger.data).toEqual([1, 2])
    }, START),
  )

  it(
    'switches to another chain, such as a reset local one, makes the watcher restart there once',
    onChain(async (world) => {
      const trigger = world.subscribe('a')
      await world.poll()
      world.chain.mine([someLog(1)])
      await world.poll()
      const other = new ScriptedChain({ salt: 'another', firstBlock: 3 })
      world.node.chain = other
      for (let looks = 0; looks < 10; looks++) await world.poll()
      expect(world.events.filter(({ event }) => event === 'chain.replaced')).toHaveLength(1)
      expect(trigger.deliveries.at(-1)!.reorgedAbove).toBeLessThan(1_001)
      other.mine([someLog(2)])
      await world.poll()
      other.mine([someLog(3)])
      await world.poll()
      expect(trigger.data).toEqual([1, 2, 3])
    }, START),
  )
})

describe('old blocks', () => {
  it(
    'of a backfill are delivered once each up to the head, its end is reported, and new blocks do not wait',
    onChain(async (world) => {
      const { chain } = world
      for (let mined = 1; mined <= 600; mined++)
        chain.mine(mined % 50 === 0 ? [someLog(mined)] : [])
      const head = chain.head.number
      const trigger = world.subscribe('a', { backfill: { from: 0, to: head } })
      await world.poll()
      chain.mine([someLog(1_000)])
      await world.poll()
      await world.poll()
      const lane = (name: string) =>
        dataOf(trigger.deliveries.filter((told) => told.lane === name).flatMap(({ logs }) => logs))
      expect(lane('backfill')).toEqual(Array.from({ length: 12 }, (_, at) => (at + 1) * 50))
      expect(lane('live')).toEqual([1_000])
      const progress = trigger.deliveries.flatMap(({ backfillAt }) =>
        backfillAt === undefined ? [] : [backfillAt],
      )
      expect(progress.at(-1)).toBeNull()
      expect(world.count('lanes')).toBe(0)
    }),
  )

  it(
    'that were missed in an outage are read by ranges for all triggers at once, each log once',
    onChain(async (world) => {
      const { chain, node } = world
      const triggers = [0, 1, 2].map((at) =>
        world.subscribe(`t${at}`, {
          filter: { address: hex(20, at + 1), topic0: EVENT, topics: [] },
          finality: [0, 12, 'finalized' as const][at]!,
        }),
      )
      await world.poll()
      for (let mined = 0; mined < 3_000; mined++)
        chain.mine(
          mined % 100 === 0 ? [someLog(mined, { address: hex(20, ((mined / 100) % 3) + 1) })] : [],
        )
      node.requests = 0
      world.restart()
      await world.poll()
      await world.poll()
      chain.mineEmpty(70)
      await world.poll()
      const told = triggers.flatMap((trigger) => trigger.data).toSorted((a, b) => a - b)
      expect(told).toEqual(Array.from({ length: 30 }, (_, at) => at * 100))
      expect(node.requests).toBeLessThan(60)
    }),
  )
})

describe('the cost of a poll', () => {
  it(
    'is the same for a thousand triggers as for one, without writes for triggers without logs',
    onChain(async (world) => {
      const { chain, node } = world
      const costOf = async () => {
        await world.poll()
        const before = world.count('lanes') + world.count('fired')
        node.requests = 0
        for (let looks = 0; looks < 5; looks++) {
          chain.mine([someLog(1, { address: hex(20, 0xffff) })])
          await world.poll()
        }
        return {
          requests: node.requests,
          rows: world.count('lanes') + world.count('fired') - before,
        }
      }
      world.subscribe('first', { filter: { address: hex(20, 1), topic0: EVENT, topics: [] } })
      const one = await costOf()
      for (let at = 0; at < 1_000; at++)
        world.subscribe(`t${at}`, {
          filter: { address: hex(20, 2 + (at % 900)), topic0: EVENT, topics: [] },
          finality: at % 3,
        })
      expect(await costOf()).toEqual({ ...one, rows: 0 })
      expect(one.rows).toBe(0)
    }, START),
  )

  it(
    'is the same for a thousand triggers with different conditions, which receive only their logs',
    onChain(async (world) => {
      const { chain, node } = world
      const filterFrom = (least: number) =>
        readChainEventConfig({
          chain: 'base',
          contract_address: TOKEN,
          event_signature: 'Counted(uint256)',
          where: { arg0: { gte: String(least) } },
        }).filter
      const topics = [filterFrom(0).topic0]
      const costOf = async () => {
        await world.poll()
        node.requests = 0
        for (const value of [1, 2, 3]) {
          chain.mine([someLog(value, { topics })])
          await world.poll()
        }
        return node.requests
      }
      world.subscribe('first', { filter: filterFrom(0) })
      const one = await costOf()
      const triggers = Array.from({ length: 1_000 }, (_, at) =>
        world.subscribe(`t${at}`, { filter: filterFrom(at) }),
      )
      expect(await costOf()).toBe(one)
      expect(triggers.slice(1, 5).map(({ data }) => data)).toEqual([[1, 2, 3], [2, 3], [3], []])
    }, START),
  )

  it(
    'is the same for a thousand triggers with lists of a hundred addresses as for one with ten thousand',
    onChain(async (world) => {
      const { chain, node } = world
      const first = 0x10_000
      const listed = (from: number, count: number) => ({
        address: null,
        addresses: packAddresses(Array.from({ length: count }, (_, at) => hex(20, from + at))),
        topic0: EVENT,
        topics: [],
      })
      const costOf = async () => {
        await world.poll()
        node.requests = 0
        node.methods.clear()
        for (const value of [1, 2, 3]) {
          chain.mine([
            someLog(value, { address: hex(20, first + 9_999) }),
            someLog(100 + value, { address: hex(20, first + 10_000) }),
          ])
          await world.poll()
        }
        return { requests: node.requests, getLogs: node.methods.get('eth_getLogs') }
      }
      const large = world.subscribe('large', { filter: listed(first, 10_000) })
      const one = await costOf()
      expect(one.getLogs).toBe(3)
      expect(large.data).toEqual([1, 2, 3])
      const small = Array.from({ length: 1_000 }, (_, at) =>
        world.subscribe(`t${at}`, { filter: listed(first + at * 10, 100) }),
      )
      expect(await costOf()).toEqual(one)
      expect(small.at(-1)!.data).toEqual([1, 101, 2, 102, 3, 103])
      expect(small[0]!.data).toEqual([])
      const stored = world.rows<{ log: string }>('SELECT log FROM logs')
      expect(stored.length).toBe(3 + 2 * 3)
    }, START),
  )

  it(
    'is zero without triggers, and no blocks are stored',
    onChain(async (world) => {
      const { node } = world
      await world.poll()
      expect(node.requests).toBe(0)
      world.subscribe('a')
      await world.poll()
      expect(world.count('blocks')).toBeGreaterThan(0)
      world.watch.unsubscribe('a', world.nextVersion())
      node.requests = 0
      await world.poll()
      expect({ requests: node.requests, blocks: world.count('blocks') }).toEqual({
        requests: 0,
        blocks: 0,
      })
    }, START),
  )
})

describe('a change', () => {
  it(
    'to a deeper finality repeats no delivery, and to a shallower one catches up',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', { since: 1_001 })
      world.subscribe('b', { finality: 2 })
      await world.poll()
      chain.mine([someLog(1)])
      await world.poll()
      world.subscribe('a', { since: 1_001, finality: 2 })
      chain.mine([someLog(2)])
      await world.poll()
      expect(trigger.data).toEqual([1])
      chain.mineEmpty(2)
      await world.poll()
      await world.poll()
      expect(trigger.data).toEqual([1, 2])
      chain.mine([someLog(3)])
      await world.poll()
      world.subscribe('a', { since: 1_001, finality: 0 })
      await world.poll()
      await world.poll()
      expect(trigger.data).toEqual([1, 2, 3])
    }, START),
  )

  it(
    'that is older than the known version is ignored, even after the subscription ended',
    onChain(async (world) => {
      const old = { version: 1, generation: 1 }
      const trigger = world.subscribe('a', { version: 5, generation: 2 })
      world.subscribe('b')
      await world.poll()
      world.subscribe('a', { ...old, filter: { address: hex(20, 1), topic0: EVENT, topics: [] } })
      world.chain.mine([someLog(1)])
      await world.poll()
      expect(trigger.data).toEqual([1])
      world.watch.unsubscribe('a', 6)
      world.subscribe('a', old)
      world.chain.mine([someLog(2)])
      await world.poll()
      expect(trigger.data).toEqual([1])
    }, START),
  )

  it(
    'that unsubscribes an older version does not end a newer subscription',
    onChain(async (world) => {
      const trigger = world.subscribe('a', { version: 5, generation: 2 })
      await world.poll()
      world.watch.unsubscribe('a', 4)
      world.chain.mine([someLog(1)])
      await world.poll()
      expect(trigger.data).toEqual([1])
    }, START),
  )
})

function expectLinked(world: WatchedChain): void {
  const blocks = world.rows<{ number: number; hash: string; parent_hash: string }>(
    'SELECT number, hash, parent_hash FROM blocks ORDER BY number',
  )
  for (const [at, { number, parent_hash }] of blocks.entries()) {
    expect(world.chain.at(number)?.hash).toBe(blocks[at]!.hash)
    if (at > 0)
      expect([number, parent_hash]).toEqual([blocks[at - 1]!.number + 1, blocks[at - 1]!.hash])
  }
}

describe('a trigger with a list of addresses', () => {
  const OTHER = hex(20, 0xb2)
  const listed = (...more: string[]) => ({
    address: null,
    addresses: packAddresses([TOKEN, OTHER, ...more]),
    topic0: EVENT,
    topics: [],
  })
  const many = Array.from({ length: 2_000 }, (_, at) => hex(20, 0x10_000 + at))

  it.each([
    ['few', []],
    ['many', many],
  ])(
    'of %s contracts receives their logs in order, also after a restart and a reorganization',
    (_, more) =>
      onChain(async (world) => {
        const { chain } = world
        const trigger = world.subscribe('list', { filter: listed(...more), finality: 1 })
        const single = world.subscribe('single')
        await world.poll()
        chain.mine([
          someLog(1),
          someLog(2, { address: OTHER }),
          someLog(3, { address: hex(20, 7) }),
        ])
        chain.mine([someLog(4, { topics: [hex(32, 5)] }), someLog(5, { address: OTHER })])
        await world.poll()
        expect(trigger.data).toEqual([1, 2])
        world.restart()
        chain.reorg(1, [[someLog(6, { address: OTHER })], []])
        await world.poll()
        expect(trigger.data).toEqual([1, 2, 6])
        expect(single.data).toEqual([1])
      }, START)(),
  )

  it(
    'that was full receives the remaining logs of stored blocks, and a backfill its old ones',
    onChain(async (world) => {
      const { chain } = world
      chain.mine([someLog(1), someLog(2, { address: hex(20, 7) }), someLog(3, { address: OTHER })])
      chain.mineEmpty(400)
      const trigger = world.subscribe('list', {
        filter: listed(...many),
        backfill: { from: 1_000, to: chain.head.number },
      })
      await world.poll()
      await world.poll()
      expect(trigger.data).toEqual([1, 3])
      trigger.room = 1
      chain.mine([someLog(4), someLog(5, { address: hex(20, 7) }), someLog(6, { address: OTHER })])
      await world.poll()
      expect(trigger.data).toEqual([1, 3, 4])
      trigger.room = 10
      world.watch.roomFor('list')
      await world.settle()
      expect(trigger.data).toEqual([1, 3, 4, 6])
    }, START),
  )

  it(
    'waits at a block in which one of its contracts has more logs than nodes return, alone',
    onChain(async (world) => {
      const { chain, node } = world
      world.isPatient = false
      const list = world.subscribe('list', { filter: listed(...many) })
      const single = world.subscribe('single', {
        filter: { address: hex(20, 7), topic0: EVENT, topics: [] },
      })
      await world.poll()
      node.limits = { logsOfBlock: 3, logs: 3 }
      const flood = Array.from({ length: 4 }, (_, at) => someLog(at))
      chain.mine([...flood, someLog(10, { address: OTHER }), someLog(11, { address: hex(20, 7) })])
      await world.poll()
      expect([list.data, single.data]).toEqual([[], [11]])
      node.limits = {}
      const later = Date.now() + 120_000
      world.now = () => later
      for (let looks = 0; looks < 3; looks++) {
        chain.mine()
        await world.poll()
      }
      expect(list.data).toEqual([0, 1, 2, 3, 10])
    }, START),
  )

  it(
    'denial of service: stores only logs of its own contracts, whatever others emit',
    onChain(async (world) => {
      world.subscribe('list', { filter: listed(...many) })
      await world.poll()
      world.chain.mine(
        Array.from({ length: 50 }, (_, at) => someLog(at, { address: hex(20, at + 1) })),
      )
      await world.poll()
      expect(world.count('logs')).toBe(0)
    }, START),
  )

  it(
    'leaves no list behind when it ends or changes',
    onChain(async (world) => {
      world.subscribe('list', { filter: listed() })
      expect(world.count('address_lists')).toBe(1)
      world.subscribe('list', { generation: 2 })
      expect(world.count('address_lists')).toBe(0)
      world.subscribe('list', { generation: 3, filter: listed() })
      world.watch.unsubscribe('list', world.nextVersion())
      expect(world.count('address_lists')).toBe(0)
    }, START),
  )
})
