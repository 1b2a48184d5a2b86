import { describe, expect, it } from 'vitest'
import { BloomMatcher } from '../../../edge/chain/matching/bloom.ts'
import { matchesFilter } from '../../../edge/chain/matching/log-matching.ts'
import { packAddresses } from '../../../edge/chain/matching/address-list.ts'
import {
  halveQuery,
  mergeFilters,
  mergeForBlocks,
} from '../../../edge/chain/matching/merge-filters.ts'
import { bloomOf } from '../../doubles/chain-node/bloom.ts'
import { EVENT, hex, TOKEN } from './watched-chain.ts'

const topic = (value: number) => hex(32, value)
const filter = (over: object = {}) => ({ address: TOKEN, topic0: EVENT, topics: [], ...over })

describe('a filter', () => {
  const positions = filter({ topics: [null, [topic(1), topic(2)]] })
  const log = (...topics: string[]) => ({
    address: TOKEN,
    topics: [EVENT, ...topics],
    data: '0x',
  })

  it('matches logs that have one of its topics at each position; null matches any topic', () => {
    const passed = [log(topic(9), topic(1)), log(topic(8), topic(2), topic(7))]
    expect(passed.map((one) => matchesFilter(positions, one))).toEqual([true, true])
  })

  it('rejects all other logs, including those with too few topics', () => {
    const others = [
      log(topic(9), topic(3)),
      log(topic(1)),
      log(),
      { ...log(topic(9), topic(1)), address: hex(20, 1) },
      { ...log(), topics: [topic(5), topic(9), topic(1)] },
      { ...log(), topics: [] },
    ]
    expect(others.map((one) => matchesFilter(positions, one))).toEqual(others.map(() => false))
  })
})

describe('the union of filters', () => {
  it('is one query, with later topics only if all filters agree on them', () => {
    const topics = [[topic(1)]]
    const other = hex(20, 0xa2)
    expect(mergeFilters([filter({ topics }), filter({ topics, address: other })])).toEqual([
      { addresses: [TOKEN, other], topics: [[EVENT], [topic(1)]] },
    ])
    expect(mergeFilters([filter({ topics }), filter({ topic0: topic(3) })])).toEqual([
      { addresses: [TOKEN], topics: [[topic(3), EVENT].toSorted()] },
    ])
    expect(mergeFilters([])).toEqual([])
  })

  it('puts each filter in one query of at most 1,000 addresses', () => {
    const filters = Array.from({ length: 2_500 }, (_, at) => filter({ address: hex(20, at + 1) }))
    const queries = mergeFilters(filters)
    expect(queries.map(({ addresses }) => addresses?.length)).toEqual([1_000, 1_000, 500])
    expect(new Set(queries.flatMap(({ addresses }) => addresses ?? [])).size).toBe(2_500)
  })

  it('queries a few blocks for all contracts if lists have more than 1,000 addresses', () => {
    const listOf = (from: number, count: number) => ({
      address: null,
      addresses: packAddresses(Array.from({ length: count }, (_, at) => hex(20, from + at))),
      topic0: EVENT,
      topics: [],
    })
    const few = [filter(), listOf(1, 900), listOf(500, 400)]
    expect(mergeForBlocks(few)).toEqual(mergeFilters(few))
    expect(mergeForBlocks(few).map(({ addresses }) => addresses?.length)).toEqual([900])
    const many = [filter({ topic0: topic(3) }), listOf(1, 900), listOf(5_000, 200)]
    const [single, any, ...others] = mergeForBlocks(many)
    expect(single).toEqual({ addresses: [TOKEN], topics: [[topic(3)]] })
    expect(any).toMatchObject({ addresses: null, topics: [[EVENT]] })
    expect(any!.among!().length).toBe(1_100)
    expect(others).toEqual([])
    const halves = halveQuery(any!)!.map(({ addresses }) => addresses!.length)
    expect(halves).toEqual([550, 550])
    expect(mergeFilters(many).flatMap(({ addresses }) => addresses!).length).toBe(1_100)
  })

  it('can be halved down to one address and one event', () => {
    const query = { addresses: [TOKEN], topics: [[topic(1), topic(2)], [topic(9)]] }
    expect(halveQuery(query)).toEqual([
      { addresses: [TOKEN], topics: [[topic(1)], [topic(9)]] },
      { addresses: [TOKEN], topics: [[topic(2)], [topic(9)]] },
    ])
    expect(halveQuery({ addresses: [TOKEN], topics: [[topic(1)]] })).toBeUndefined()
  })
})

describe('the bloom filter of a block', () => {
  const bloom = bloomOf([TOKEN, EVENT, topic(4)])

  it('may contain its own entries, and rules out others', () => {
    const mayContainEvent = (of: string, address: string, topic0: string) =>
      new BloomMatcher([{ address, topic0 }]).mayMatch(of)
    expect(mayContainEvent(bloom, TOKEN, EVENT)).toBe(true)
    expect(mayContainEvent(bloom.toUpperCase().replace('0X', '0x'), TOKEN, EVENT)).toBe(true)
    expect(mayContainEvent(bloom, hex(20, 0xbeef), EVENT)).toBe(false)
    expect(mayContainEvent(bloom, TOKEN, topic(0xbeef))).toBe(false)
  })

  it('is checked for all filters, each event with its own address', () => {
    const among = (...filters: { address: string; topic0: string }[]) =>
      new BloomMatcher(filters).mayMatch(bloom)
    expect(among(filter({ address: hex(20, 1) }), filter())).toBe(true)
    expect(among(filter({ address: hex(20, 0xbeef) }), filter({ topic0: topic(0xbeef) }))).toBe(
      false,
    )
  })
})
