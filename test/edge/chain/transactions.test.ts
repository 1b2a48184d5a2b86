import { describe, expect, it } from 'vitest'
import { readChainConfig, watchesSameEvents } from '../../../edge/chain/chain-config.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { logRunSuffix } from '../../../edge/chain/log-run-suffix.ts'
import { matchesFilter } from '../../../edge/chain/matching/log-matching.ts'
import type { TransactionFilter } from '../../../edge/chain/matching/transaction-filter.ts'
import {
  transactionMark,
  transactionsFilter,
  type TransactionStatus,
} from '../../../edge/chain/transaction-mark.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import type { ScriptedTransaction } from '../../doubles/chain-node/scripted-block.ts'
import { dataOf, EVENT, hex, onChain, someLog, TOKEN, type WatchedChain } from './watched-chain.ts'

const START = { firstBlock: 1_000 }
const [ALICE, BOB, CAROL] = [0xa11ce, 0xb0b, 0xca701].map((party) => hex(20, party)) as [
  string,
  string,
  string,
]
const SELECTOR = '0xa9059cbb'

let sent = 0
const sending = (over: Partial<ScriptedTransaction> = {}): ScriptedTransaction => ({
  hash: hex(32, ++sent),
  logs: [],
  from: ALICE,
  to: BOB,
  value: '0x5',
  input: '0x',
  isSuccess: true,
  gasUsed: '0x5208',
  ...over,
})

const on = (filter: TransactionFilter, status: TransactionStatus | null = 'success') => ({
  filter: transactionsFilter(filter, status),
})
const hashesOf = (marks: readonly ChainLog[]) => marks.map((mark) => mark.transactionHash)
const hashes = (...transactions: ScriptedTransaction[]) => transactions.map(({ hash }) => hash)

/** Returns the calls of one poll by method. */
async function callsOf(world: WatchedChain): Promise<Record<string, number>> {
  const before = new Map(world.node.methods)
  await world.poll()
  const calls = [...world.node.methods].map(
    ([method, count]) => [method, count - (before.get(method) ?? 0)] as const,
  )
  return Object.fromEntries(calls.filter(([, count]) => count > 0))
}

describe('a trigger on transactions', () => {
  it(
    'receives the transactions to its address, with their details, beside triggers on logs',
    onChain(async (world) => {
      const { chain } = world
      const logs = world.subscribe('logs')
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      const other = sending({ to: CAROL })
      const [one, two] = [sending({ input: `${SELECTOR}00` }), sending({ gasUsed: '0xffff' })]
      const block = chain.mine([other, one, someLog(7), two, sending({ to: null })])
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(one, two))
      expect(dataOf(logs.taken)).toEqual([7])
      expect(trigger.taken[1]).toMatchObject({
        transaction: { from: ALICE, to: BOB, value: '5', gasUsed: 65_535 },
        transactionIndex: 3,
        blockNumber: block.number,
        blockHash: block.hash,
        blockTimestamp: block.timestamp,
      })
      expect(trigger.taken[0]!.data).toBe(`${SELECTOR}00`)
    }, START),
  )

  it(
    'receives the transactions of a sender, also those that create a contract',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on({ from: [CAROL] }))
      await world.poll()
      const created = sending({ from: CAROL, to: null, input: '0x6000' })
      world.chain.mine([sending(), created])
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(created))
      expect(trigger.taken[0]!.transaction!.to).toBeNull()
    }, START),
  )

  it(
    'receives only successful transactions, only reverted ones, or both',
    onChain(async (world) => {
      const parties = { from: [ALICE] }
      const successful = world.subscribe('success', on(parties))
      const reverted = world.subscribe('reverted', on(parties, 'reverted'))
      const any = world.subscribe('any', on(parties, null))
      await world.poll()
      const [good, bad, ancient] = [
        sending(),
        sending({ isSuccess: false }),
        sending({ isSuccess: null }),
      ]
      world.chain.mine([good, bad, ancient])
      await world.poll()
      expect(hashesOf(successful.taken)).toEqual(hashes(good))
      expect(hashesOf(reverted.taken)).toEqual(hashes(bad))
      expect(hashesOf(any.taken)).toEqual(hashes(good, bad, ancient))
    }, START),
  )

  it(
    'receives a transaction only after it is final',
    onChain(async (world) => {
      const trigger = world.subscribe('a', { ...on({ to: [BOB] }), finality: 2 })
      await world.poll()
      const transaction = sending()
      world.chain.mine([transaction])
      world.chain.mineEmpty(1)
      await world.poll()
      expect(trigger.taken).toEqual([])
      world.chain.mineEmpty(1)
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(transaction))
    }, START),
  )

  it(
    'is told of a reorganization, and identifies a moved transaction by hash and status',
    onChain(async (world) => {
      const { chain } = world
      const trigger = world.subscribe('a', on({ to: [BOB] }, null))
      await world.poll()
      const [moved, failing] = [sending(), sending()]
      chain.mine([moved, failing])
      await world.poll()
      chain.reorg(1, [
        [],
        [
          { ...failing, isSuccess: false },
          { ...moved, gasUsed: '0x6000' },
        ],
      ])
      await world.poll()
      const [first, second, third, fourth] = trigger.taken
      expect(trigger.deliveries[1]).toMatchObject({ reorgedAbove: first!.blockNumber - 1 })
      expect(hashesOf(trigger.taken)).toEqual(hashes(moved, failing, failing, moved))
      expect(fourth!.blockNumber).toBe(first!.blockNumber + 1)
      const runOf = (mark: ChainLog) => logRunSuffix('a', mark)
      expect(runOf(fourth!)).toBe(runOf(first!))
      expect(runOf(third!)).not.toBe(runOf(second!))
    }, START),
  )

  it(
    'makes as many calls in a poll as a thousand such triggers',
    onChain(async (world) => {
      const { chain } = world
      const watched = (party: number) => hex(20, 0xf00 + party)
      world.subscribe('0', on({ to: [BOB] }))
      await world.poll()
      chain.mine([sending(), sending()])
      expect(await callsOf(world)).toEqual({ eth_getBlockByNumber: 2, eth_getBlockReceipts: 1 })
      for (let at = 1; at < 1_000; at++)
        world.subscribe(String(at), on({ to: [watched(at)], from: [ALICE, watched(at)] }))
      await world.poll()
      chain.mine([
        sending(),
        ...Array.from({ length: 9 }, (_, at) => sending({ to: watched(at + 1) })),
      ])
      expect(await callsOf(world)).toEqual({ eth_getBlockByNumber: 2, eth_getBlockReceipts: 1 })
      expect(hashesOf(world.trigger('9').taken)).toHaveLength(1)
    }, START),
  )

  it(
    'needs no receipts for blocks without a match, and one receipt for a single match',
    onChain(async (world) => {
      const { chain } = world
      world.subscribe('a', on({ to: [BOB], minValue: '5', selectors: [SELECTOR] }))
      await world.poll()
      chain.mine([sending({ value: '0x4', input: SELECTOR }), sending(), sending({ to: CAROL })])
      expect(await callsOf(world)).toEqual({ eth_getBlockByNumber: 2 })
      chain.mine([sending({ input: SELECTOR })])
      expect(await callsOf(world)).toEqual({
        eth_getBlockByNumber: 2,
        eth_getTransactionReceipt: 1,
      })
    }, START),
  )

  it(
    'no longer reads whole blocks after the last such trigger was removed',
    onChain(async (world) => {
      world.subscribe('logs')
      world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      world.watch.unsubscribe('a', world.nextVersion())
      world.chain.mine([sending()])
      expect(await callsOf(world)).toEqual({
        eth_getBlockByNumber: 1,
        eth_getLogs: 1,
        eth_getBlockByHash: 1,
      })
    }, START),
  )

  it(
    'reads single receipts if the node does not return those of a block, and remembers it',
    onChain(async (world) => {
      const { chain, node } = world
      node.hasBlockReceipts = false
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      chain.mine([sending(), sending()])
      await world.poll()
      const many = Array.from({ length: 120 }, () => sending())
      chain.mine(many)
      const before = node.requests
      expect(await callsOf(world)).toEqual({
        eth_getBlockByNumber: 2,
        eth_getTransactionReceipt: 120,
      })
      // The head, the block, and three batches of receipts.
      expect(node.requests - before).toBe(5)
      expect(trigger.taken).toHaveLength(122)
    }, START),
  )

  it(
    'receives past transactions, for which whole blocks are requested in batches',
    onChain(async (world) => {
      const { chain, node } = world
      const wanted = [sending(), sending(), sending()]
      for (const transaction of wanted) {
        chain.mine([transaction, sending({ to: CAROL })])
        chain.mineEmpty(30)
      }
      chain.mineEmpty(300)
      const head = chain.head.number
      const trigger = world.subscribe('a', {
        ...on({ to: [BOB] }),
        backfill: { from: 1_001, to: head },
      })
      for (let poll = 0; poll < 4; poll++) await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(...wanted))
      expect(node.methods.get('eth_getLogs')).toBeUndefined()
      expect(trigger.deliveries.some(({ backfillAt }) => backfillAt === null)).toBe(true)
    }, START),
  )

  it(
    'receives the transactions of an outage, whose blocks are read once for all triggers',
    onChain(async (world) => {
      const { chain, node } = world
      const logs = world.subscribe('logs')
      const triggers = [1, 2, 3].map((at) => world.subscribe(`t${at}`, on({ to: [BOB] })))
      await world.poll()
      const wanted: ScriptedTransaction[] = []
      for (let at = 0; at < 10; at++) {
        chain.mine([(wanted[at] = sending()), someLog(at)])
        chain.mineEmpty(100)
      }
      const before = node.methods.get('eth_getBlockByNumber')!
      for (let poll = 0; poll < 6; poll++) await world.poll()
      for (const { taken } of triggers) expect(hashesOf(taken)).toEqual(hashes(...wanted))
      expect(dataOf(logs.taken)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      const calls = node.methods.get('eth_getBlockByNumber')! - before
      // Each block once in full, and headers of those near the head.
      expect(calls).toBeLessThan(2 * 1_010)
    }, START),
  )

  it(
    'without room receives the remaining transactions later, in order',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      trigger.room = 1
      await world.poll()
      const all = [sending(), sending(), sending()]
      world.chain.mine(all.slice(0, 2))
      world.chain.mine(all.slice(2))
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(all[0]!))
      trigger.room = Number.POSITIVE_INFINITY
      world.watch.roomFor('a')
      await world.settle()
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(...all))
    }, START),
  )
})

describe('a block that no node returns as a whole', () => {
  it(
    'delays only the triggers on transactions, until a node returns it',
    onChain(async (world) => {
      const { chain, node } = world
      const logs = world.subscribe('logs')
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      node.wholeBlockMax = 2
      const [one, two] = [sending(), sending()]
      chain.mine([one, someLog(7), sending({ to: CAROL })])
      chain.mine([two, someLog(8)])
      await world.poll()
      expect(dataOf(logs.taken)).toEqual([7, 8])
      expect(trigger.taken).toEqual([])
      expect(world.events.map(({ event }) => event)).toContain('chain.flooded')
      node.wholeBlockMax = Number.POSITIVE_INFINITY
      world.now = () => Date.now() + 120_000
      for (let poll = 0; poll < 3; poll++) await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(one, two))
      expect(dataOf(logs.taken)).toEqual([7, 8])
    }, START),
  )
})

describe('a transaction without a receipt', () => {
  it.each([1, 2])(
    'delays only the triggers on transactions (%i selected), until a node has the receipt',
    (count) =>
      onChain(async (world) => {
        const { chain, node } = world
        const logs = world.subscribe('logs')
        const trigger = world.subscribe('a', on({ to: [BOB] }))
        await world.poll()
        const selected = Array.from({ length: count }, () => sending())
        node.missingReceipts.add(selected[0]!.hash)
        chain.mine([...selected, someLog(7)])
        await world.poll()
        chain.mine([someLog(8)])
        await world.poll()
        expect(dataOf(logs.taken)).toEqual([7, 8])
        expect(trigger.taken).toEqual([])
        expect(world.events.filter(({ event }) => event.startsWith('rpc.'))).toEqual([])
        node.missingReceipts.clear()
        world.now = () => Date.now() + 120_000
        for (let poll = 0; poll < 3; poll++) await world.poll()
        expect(hashesOf(trigger.taken)).toEqual(hashes(...selected))
        expect(dataOf(logs.taken)).toEqual([7, 8])
      }, START)(),
  )
})

describe('stopping a chain for all users with a transaction whose receipt no node returns', () => {
  type Fault = [string, (world: WatchedChain, hash: string) => void]
  const FAULTS: Fault[] = [
    ['is missing', ({ node }, hash) => void node.missingReceipts.add(hash)],
    ['names another block', ({ node }, hash) => void node.misplacedReceipts.add(hash)],
    ['is not made yet', ({ node }) => void (node.hasReceipts = false)],
  ]
  const restore = async (world: WatchedChain) => {
    world.node.missingReceipts.clear()
    world.node.misplacedReceipts.clear()
    world.node.hasReceipts = true
    world.now = () => Date.now() + 120_000
    world.runner.poke()
    for (let poll = 0; poll < 3; poll++) await world.poll()
  }
  const isUnblamed = ({ events }: WatchedChain) =>
    expect(events.filter(({ event }) => event.startsWith('rpc.'))).toEqual([])

  it.each(FAULTS)('does not delay logs in several blocks if it %s', (_, hide) =>
    onChain(async (world) => {
      const logs = world.subscribe('logs')
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      const all = Array.from({ length: 10 }, () => sending())
      for (let at = 0; at < 10; at += 2) world.chain.mine([all[at]!, all[at + 1]!, someLog(at)])
      hide(world, all[4]!.hash)
      expect(await world.watch.poll()).toBe('looked')
      expect(logs.data).toEqual([0, 2, 4, 6, 8])
      isUnblamed(world)
      await restore(world)
      expect(hashesOf(trigger.taken)).toEqual(hashes(...all))
    }, START)(),
  )

  it.each(FAULTS)('does not delay logs after an outage if it %s', (_, hide) =>
    onChain(async (world) => {
      const { chain } = world
      const logs = world.subscribe('logs')
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      const all = [sending(), sending(), sending()]
      chain.mineEmpty(200)
      chain.mine([all[0]!, all[1]!, someLog(1)])
      chain.mineEmpty(200)
      chain.mine([all[2]!, someLog(2)])
      chain.mineEmpty(600)
      hide(world, all[0]!.hash)
      // Does not wait for background work: the trigger on transactions repeats its request until the fault is over.
      const pollOnce = async () => {
        await world.watch.poll()
        return logs.data
      }
      await expect.poll(pollOnce, { timeout: 60_000 }).toEqual([1, 2])
      isUnblamed(world)
      await restore(world)
      expect(hashesOf(trigger.taken)).toEqual(hashes(...all))
    }, START)(),
  )
})

describe('receipts', () => {
  it(
    'that a node omits from those of a block are requested one by one',
    onChain(async (world) => {
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      const all = [sending(), sending(), sending()]
      world.node.omittedReceipts.add(all[1]!.hash)
      world.chain.mine(all)
      expect(await callsOf(world)).toMatchObject({
        eth_getBlockReceipts: 1,
        eth_getTransactionReceipt: 1,
      })
      expect(hashesOf(trigger.taken)).toEqual(hashes(...all))
    }, START),
  )

  it(
    'of a block that is replaced meanwhile: the next poll follows the other branch at once',
    onChain(async (world) => {
      const { chain, node } = world
      const trigger = world.subscribe('a', on({ to: [BOB] }))
      await world.poll()
      const [gone, kept] = [sending(), sending()]
      chain.mine([gone])
      const answer = node.answer.bind(node)
      node.answer = (body) => {
        if (body.includes('true')) {
          node.answer = answer
          chain.reorg(1, [[kept], []])
        }
        return answer(body)
      }
      expect(await world.watch.poll()).toBe('lags')
      await world.poll()
      expect(hashesOf(trigger.taken)).toEqual(hashes(kept))
    }, START),
  )
})

describe('the filter of transactions', () => {
  const block = { number: 10, hash: hex(32, 1), timestamp: 1 }
  const markOf = (over: object = {}) =>
    transactionMark(
      block,
      { hash: hex(32, 2), index: 0, from: ALICE, to: BOB, value: '10', input: SELECTOR, ...over },
      { status: 'success', gasUsed: 1 },
    )
  const holds = (filter: TransactionFilter, over: object = {}) =>
    matchesFilter(transactionsFilter(filter, 'success'), markOf(over))

  it('requires both parties if both are given', () => {
    expect(holds({ to: [BOB], from: [ALICE] })).toBe(true)
    expect(holds({ to: [BOB], from: [CAROL] })).toBe(false)
    expect(holds({ to: [CAROL], from: [ALICE] })).toBe(false)
    expect(holds({ to: [BOB] }, { to: null })).toBe(false)
  })

  it('compares values of any size, and the first four bytes of the input', () => {
    const large = (2n ** 255n).toString()
    expect(holds({ to: [BOB], minValue: '10' })).toBe(true)
    expect(holds({ to: [BOB], minValue: '11' })).toBe(false)
    expect(holds({ to: [BOB], minValue: '9' }, { value: large })).toBe(true)
    expect(holds({ to: [BOB], minValue: large }, { value: '9' })).toBe(false)
    expect(holds({ to: [BOB], selectors: [SELECTOR] }, { input: `${SELECTOR}ff` })).toBe(true)
    expect(holds({ to: [BOB], selectors: [SELECTOR] }, { input: '0xa9059c' })).toBe(false)
  })

  it('matches no log, and filters of logs match no transaction', () => {
    const log = { address: TOKEN, topics: [EVENT], data: '0x', blockNumber: 10 }
    expect(matchesFilter(transactionsFilter({ to: [BOB] }, null), log)).toBe(false)
    expect(matchesFilter({ address: TOKEN, topic0: EVENT, topics: [] }, markOf())).toBe(false)
  })

  it('forging a transaction with a log: a log with its topic has no transaction', () => {
    const { filter } = on({ to: [BOB] })
    const { transaction, ...forged } = markOf()
    expect(transaction).toBeDefined()
    expect(matchesFilter(filter, forged)).toBe(false)
  })
})

describe('config.transactions', () => {
  const read = (transactions: unknown, over: object = {}) =>
    readChainConfig({ chain: 'base', transactions, ...over })
  const refusal = (transactions: unknown, over: object = {}) => {
    try {
      read(transactions, over)
    } catch (error) {
      const { message, fix } = toApiError(error)
      return `${message} ${fix}`
    }
    throw new Error('accepted')
  }

  it('accepts one address or a list, in any case', () => {
    const filter = transactionsFilter({ to: [BOB] }, 'success')
    expect(read({ to: BOB.toUpperCase().replace('X', 'x') }, { start_block: '0x10' })).toEqual({
      chain: 'base',
      filter,
      startBlock: 16,
    })
    expect(
      read({
        to: [BOB, ALICE, BOB],
        from: [CAROL],
        selector: SELECTOR,
        min_value: '0',
        status: 'any',
      }).filter,
    ).toEqual(
      transactionsFilter(
        { to: [BOB, ALICE], from: [CAROL], selectors: [SELECTOR], minValue: '0' },
        null,
      ),
    )
  })

  it.each<[string, unknown, object, string]>([
    ['text', 'x', {}, 'config.transactions: expected an object'],
    ['a list', [], {}, 'config.transactions: expected an object'],
    ['no party', { status: 'any' }, {}, 'config.transactions: to or from is required'],
    ['an empty list', { to: [] }, {}, 'config.transactions.to: 0 values'],
    [
      'too many addresses',
      { from: Array.from({ length: 101 }, (_, at) => hex(20, at)) },
      {},
      'config.transactions.from: 101 values',
    ],
    ['a short address', { to: '0x12' }, {}, 'config.transactions.to: expected 0x'],
    ['a wrong address', { to: [BOB, 5] }, {}, 'config.transactions.to[1]: expected 0x'],
    ['a long selector', { to: BOB, selector: `${SELECTOR}00` }, {}, 'transactions.selector'],
    ['a number as value', { to: BOB, min_value: 5 }, {}, 'transactions.min_value: expected'],
    ['a negative value', { to: BOB, min_value: '-5' }, {}, 'transactions.min_value: expected'],
    [
      'a value of 257 bits',
      { to: BOB, min_value: (2n ** 256n).toString() },
      {},
      'transactions.min_value: expected',
    ],
    ['another status', { to: BOB, status: 'ok' }, {}, 'config.transactions.status: unknown'],
    ['another key', { to: BOB, data: '0x' }, {}, 'config.transactions.data: unknown field'],
    ['an event', { to: BOB }, { event_signature: 'A()' }, 'config.event_signature: cannot be'],
    ['a contract', { to: BOB }, { contract_address: BOB }, 'config.contract_address: cannot be'],
  ])('with %s: names the field', (_, transactions, over, expected) => {
    expect(refusal(transactions, over)).toContain(expected)
  })

  it('cannot be combined with blocks', () => {
    expect(refusal({ to: BOB }, { blocks: { every: 5 } })).toContain('config.transactions: cannot')
  })

  it('keeps the position of the trigger only if the transactions stay', () => {
    const one = read({ to: [BOB, ALICE] })
    expect(watchesSameEvents(one, read({ to: [ALICE, BOB], status: 'success' }))).toBe(true)
    expect(watchesSameEvents(one, read({ to: [BOB] }))).toBe(false)
    expect(watchesSameEvents(one, read({ to: [BOB, ALICE], status: 'any' }))).toBe(false)
    expect(watchesSameEvents(one, read({ to: [BOB, ALICE], min_value: '1' }))).toBe(false)
  })
})
