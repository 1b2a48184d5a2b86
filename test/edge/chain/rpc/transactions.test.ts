import { describe, expect, it } from 'vitest'
import { TransactionSelection } from '../../../../edge/chain/matching/transaction-filter.ts'
import {
  parseBlockTransactions,
  parseReceipts,
} from '../../../../edge/chain/rpc/read-transactions.ts'
import { NodeLaggingError } from '../../../../shared/rpc/chain-read-errors.ts'
import { hex } from '../watched-chain.ts'

const [ALICE, BOB] = [hex(20, 1), hex(20, 2)]
const all = new TransactionSelection([{ from: [ALICE] }, { to: [BOB] }])

const block = (...transactions: unknown[]) => ({
  number: '0xa',
  hash: hex(32, 10),
  parentHash: hex(32, 9),
  timestamp: '0x1',
  logsBloom: hex(256, 0),
  transactions,
})
const transaction = (index: number, over: object = {}) => ({
  transactionIndex: `0x${index.toString(16)}`,
  hash: hex(32, 100 + index),
  from: ALICE,
  to: BOB,
  value: '0x0',
  input: '0x',
  ...over,
})
const receipt = (over: object = {}) => ({
  transactionHash: hex(32, 100),
  blockHash: hex(32, 10),
  status: '0x1',
  gasUsed: '0x5208',
  ...over,
})

describe('transactions of a block', () => {
  it.each<[string, unknown]>([
    ['hashes only', block(hex(32, 1))],
    ['no list', { ...block(), transactions: {} }],
    ['a missing block', null],
    ['the same index twice', block(transaction(0), transaction(0, { hash: hex(32, 5) }))],
    ['another order', block(transaction(1), transaction(0))],
    ['the same hash twice', block(transaction(0), transaction(1, { hash: hex(32, 100) }))],
    ['a sender that is too short', block(transaction(0, { from: '0x01' }))],
    ['a value that is no quantity', block(transaction(0, { value: '5' }))],
    ['a value above 256 bits', block(transaction(0, { value: `0x1${'0'.repeat(64)}` }))],
    ['input that is not hex', block(transaction(0, { input: '0xzz' }))],
  ])('a node that answers with %s: is not believed', (_, answer) => {
    expect(() => parseBlockTransactions(answer, all)).toThrow('bad_answer')
  })

  it('accepts upper case, and a missing recipient', () => {
    const created = { ...transaction(1), to: undefined }
    const shouted = transaction(0, { from: ALICE.toUpperCase().replace('X', 'x') })
    const { transactions } = parseBlockTransactions(block(shouted, created), all)
    expect(transactions.map(({ from, to }) => [from, to])).toEqual([
      [ALICE, BOB],
      [ALICE, null],
    ])
  })
})

describe('receipts', () => {
  const selected = new Set([receipt().transactionHash])

  it.each<[string, object]>([
    ['a status that is neither 0 nor 1', { status: '0x2' }],
    ['gas that is no quantity', { gasUsed: 21_000 }],
    ['a short hash', { transactionHash: '0x12' }],
  ])('a node that answers with %s: is not believed', (_, over) => {
    expect(() => parseReceipts([receipt(over)], hex(32, 10), selected)).toThrow('bad_answer')
  })

  it('of another block mean that the node is leaving a branch', () => {
    const read = () => parseReceipts([receipt({ blockHash: hex(32, 11) })], hex(32, 10), selected)
    expect(read).toThrow(NodeLaggingError)
  })

  it('of other transactions are not read', () => {
    const special = receipt({ transactionHash: hex(32, 99), gasUsed: null })
    const read = parseReceipts([special, receipt()], hex(32, 10), selected)
    expect([...read.keys()]).toEqual([...selected])
  })
})
