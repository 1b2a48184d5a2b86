import { describe, expect, it } from 'vitest'
import { blockMark, intervalFilter, multiplesIn } from '../../../edge/chain/block-mark.ts'
import { readChainConfig, watchesSameEvents } from '../../../edge/chain/chain-config.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { logRunSuffix } from '../../../edge/chain/log-run-suffix.ts'
import { matchesFilter } from '../../../edge/chain/matching/log-matching.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { dataOf, EVENT, onChain, someLog, TOKEN } from './watched-chain.ts'

const START = { firstBlock: 1_000 }
const numbersOf = (marks: readonly ChainLog[]) => marks.map(({ blockNumber }) => blockNumber)
const every = (blocks: number) => ({ filter: intervalFilter(blocks) })

describe('a trigger on blocks', () => {
  it(
    'receives each n-th block once, with its hash and time, beside triggers on logs and other intervals',
    onChain(async (world) => {
      const { chain } = world
      const logs = world.subscribe('logs')
      const third = world.subscribe('third', every(3))
      const fifth = world.subscribe('fifth', every(5))
      await world.poll()
      const first = chain.head.number + 1
      for (let mined = 0; mined < 10; mined++) {
        chain.mine(mined % 2 === 0 ? [someLog(mined)] : [])
        await world.poll()
      }
      chain.mineEmpty(5)
      await world.poll()
      const multiples = (of: number) => multiplesIn(of, first, chain.head.number)
      expect(multiples(3)).toHaveLength(5)
      expect(numbersOf(third.taken)).toEqual(multiples(3))
      expect(numbersOf(fifth.taken)).toEqual(multiples(5))
      expect(dataOf(logs.taken)).toEqual([0, 2, 4, 6, 8])
      for (const { blockNumber, blockHash, blockTimestamp } of fifth.taken)
        expect({ blockHash, blockTimestamp }).toEqual({
          blockHash: chain.at(blockNumber)!.hash,
          blockTimestamp: chain.at(blockNumber)!.timestamp,
        })
    }, START),
  )

  it(
    'receives a block only after it is final',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', { ...every(1), finality: 3 })
      await world.poll()
      const first = chain.head.number + 1
      chain.mineEmpty(3)
      await world.poll()
      expect(trigger.taken).toEqual([])
      chain.mineEmpty(1)
      await world.poll()
      expect(numbersOf(trigger.taken)).toEqual([first])
    }, START),
  )

  it(
    'is told of a reorganization before it receives the replacing block',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', every(1))
      await world.poll()
      chain.mineEmpty(1)
      await world.poll()
      const { number } = chain.head
      chain.reorg(1, [[someLog(1)], []])
      await world.poll()
      const [old, replacing] = trigger.taken
      expect(numbersOf(trigger.taken)).toEqual([number, number, number + 1])
      expect(replacing!.blockHash).toBe(chain.at(number)!.hash)
      const [, notice] = trigger.deliveries
      expect(notice).toMatchObject({ reorgedAbove: number - 1 })
      expect(logRunSuffix('a', replacing!)).not.toBe(logRunSuffix('a', old!))
    }, START),
  )

  it(
    'adds no calls to a poll, whether there is one such trigger or a thousand',
    onChain(async (world) => {
      const { chain, node } = world
      const callsOfPoll = async () => {
        chain.mineEmpty(1)
        const before = new Map(node.methods)
        await world.poll()
        const calls = [...node.methods].map(
          ([method, count]) => [method, count - (before.get(method) ?? 0)] as const,
        )
        return Object.fromEntries(calls.filter(([, count]) => count > 0))
      }
      world.subscribe('block 0', every(1))
      await world.poll()
      expect(await callsOfPoll()).toEqual({ eth_getBlockByNumber: 1 })
      for (let at = 1; at < 1_000; at++) world.subscribe(`block ${at}`, every(1 + (at % 7)))
      await world.poll()
      expect(await callsOfPoll()).toEqual({ eth_getBlockByNumber: 1 })
    }, START),
  )

  it(
    'without room receives the remaining blocks later, in order',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', every(1))
      trigger.room = 2
      await world.poll()
      const first = chain.head.number + 1
      chain.mineEmpty(5)
      await world.poll()
      expect(numbersOf(trigger.taken)).toEqual([first, first + 1])
      trigger.room = Number.POSITIVE_INFINITY
      world.watch.roomFor('a')
      await world.settle()
      await world.poll()
      expect(numbersOf(trigger.taken)).toEqual(multiplesIn(1, first, chain.head.number))
    }, START),
  )

  it(
    'receives past blocks, for which only their headers are requested',
    onChain(async (world) => {
      const { chain, node } = world
      chain.mineEmpty(1_000)
      const head = chain.head.number
      const trigger = world.subscribe('a', { ...every(100), backfill: { from: 1_050, to: head } })
      for (let poll = 0; poll < 4; poll++) await world.poll()
      expect(numbersOf(trigger.taken)).toEqual(multiplesIn(100, 1_050, head))
      expect(node.methods.get('eth_getLogs')).toBeUndefined()
      expect(trigger.deliveries.some(({ backfillAt }) => backfillAt === null)).toBe(true)
    }, START),
  )

  it.each([
    ['alone', false],
    ['beside a trigger on logs', true],
  ])('%s receives all blocks of an outage', (_, hasLogs) =>
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', every(50))
      if (hasLogs) world.subscribe('logs')
      await world.poll()
      const first = chain.head.number + 1
      chain.mineEmpty(3_000)
      for (let poll = 0; poll < 6; poll++) await world.poll()
      chain.mineEmpty(60)
      for (let poll = 0; poll < 3; poll++) await world.poll()
      expect(numbersOf(trigger.taken)).toEqual(multiplesIn(50, first, chain.head.number))
    }, START)(),
  )

  it(
    'added after blocks were read receives them too',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('logs')
      await world.poll()
      const first = chain.head.number + 1
      chain.mineEmpty(4)
      await world.poll()
      const late = world.subscribe('late', { ...every(2), since: first })
      for (let poll = 0; poll < 3; poll++) await world.poll()
      expect(numbersOf(late.taken)).toEqual(multiplesIn(2, first, chain.head.number))
    }, START),
  )
})

describe('the filter of an interval', () => {
  it('matches no log, and filters of logs match no block', () => {
    const mark = blockMark({ number: 10, hash: '0x1', timestamp: 1 })
    const log = { address: TOKEN, topics: [EVENT], data: '0x', blockNumber: 10 }
    expect(matchesFilter(intervalFilter(5), mark)).toBe(true)
    expect(matchesFilter(intervalFilter(3), mark)).toBe(false)
    expect(matchesFilter(intervalFilter(5), log)).toBe(false)
    expect(matchesFilter({ address: TOKEN, topic0: EVENT, topics: [] }, mark)).toBe(false)
  })
})

describe('config.blocks', () => {
  const read = (config: object) => readChainConfig({ chain: 'base', ...config })
  const refusal = (config: object) => {
    try {
      read(config)
    } catch (error) {
      const { message, fix } = toApiError(error)
      return `${message} ${fix}`
    }
    throw new Error('accepted')
  }

  it('is accepted without a contract and an event', () => {
    expect(read({ blocks: { every: 5 }, start_block: '0x10' })).toEqual({
      chain: 'base',
      filter: intervalFilter(5),
      startBlock: 16,
    })
  })

  it.each<[string, object, string]>([
    ['no object', { blocks: 5 }, 'config.blocks: expected an object'],
    ['a list', { blocks: [5] }, 'config.blocks: expected an object'],
    ['nothing', { blocks: {} }, 'config.blocks.every: required'],
    ['text', { blocks: { every: '5' } }, 'config.blocks.every: expected an integer'],
    ['a fraction', { blocks: { every: 5.5 } }, 'config.blocks.every: expected an integer'],
    ['0', { blocks: { every: 0 } }, 'config.blocks.every: 0 blocks'],
    ['another key', { blocks: { every: 5, at: 1 } }, 'config.blocks.at: unknown field'],
    ['a contract', { blocks: { every: 5 }, contract_address: TOKEN }, 'config.contract_address'],
    ['an event', { blocks: { every: 5 }, event_signature: 'A()' }, 'config.event_signature'],
    ['conditions', { blocks: { every: 5 }, where: {} }, 'config.where'],
  ])('with %s: names the field', (_, config, expected) => {
    expect(refusal(config)).toContain(expected)
  })

  it('flooding the queue from a fast chain: has a minimum for each chain', () => {
    expect(refusal({ blocks: { every: 4 } })).toContain('Send 5 to')
    expect(refusal({ chain: 'arbitrum', blocks: { every: 39 } })).toContain('Send 40 to')
    expect(read({ chain: 'ethereum', blocks: { every: 1 } }).filter.every).toBe(1)
  })

  it('keeps the position of the trigger only if the interval stays', () => {
    const one = read({ blocks: { every: 5 } })
    expect(watchesSameEvents(one, read({ blocks: { every: 5 } }))).toBe(true)
    expect(watchesSameEvents(one, read({ blocks: { every: 6 } }))).toBe(false)
  })
})
