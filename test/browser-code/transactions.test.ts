import { describe, expect, it } from 'vitest'
import { lowBalanceChains } from '../../edge/browser/transactions/low-balance.ts'
import { nextPollMs } from '../../edge/browser/transactions/next-poll.ts'
import { coinOf, explorerUrl } from '../../shared/wire/public-chains.ts'
import { explainTransaction } from '../../shared/wire/transaction-words.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'

const HASH = `0x${'ab'.repeat(32)}`
const ADDRESS = `0x${'cd'.repeat(20)}`
const MINED = {
  hash: HASH,
  block_number: 7,
  block_hash: `0x${'11'.repeat(32)}`,
  gas_used: '21000',
  effective_gas_price: '1000000000',
}

function transaction(changes: Partial<TransactionRecord> = {}): TransactionRecord {
  return {
    id: `tx_${'0'.repeat(32)}`,
    state: 'queued',
    waiting_for: null,
    waiting_message: null,
    chain: 'base',
    chain_id: 8453,
    wallet_address: ADDRESS,
    pkp_id: `0x${'22'.repeat(32)}`,
    to: ADDRESS,
    data: '0x',
    value: '0',
    gas: null,
    max_fee_per_gas: null,
    speed: 'normal',
    nonce: null,
    attempts: [],
    mined: null,
    replaced_by: null,
    failure: null,
    policy: null,
    action_cid: null,
    run_id: null,
    step: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ended_at: null,
    ...changes,
  }
}

const attempt = (kind: TransactionRecord['attempts'][number]['kind']) => ({
  hash: HASH,
  kind,
  nonce: 0,
  max_fee_per_gas: '2',
  max_priority_fee_per_gas: '1',
  created_at: '2026-01-01T00:00:00Z',
})

describe('the explanation of a transaction', () => {
  it('names what an open transaction waits for', () => {
    expect(explainTransaction(transaction({ waiting_for: 'order' }))).toBe(
      'Waiting for earlier transactions of this wallet.',
    )
    expect(explainTransaction(transaction())).toBe('Not signed yet.')
  })

  it('says why a signature was refused', () => {
    const waiting_message = 'Denied: 0 of 1 remain of the sum a day'
    expect(explainTransaction(transaction({ waiting_for: 'fees', waiting_message }))).toBe(
      `Higher fees refused: ${waiting_message}.`,
    )
    expect(explainTransaction(transaction({ waiting_for: 'order', waiting_message }))).toBe(
      `Filling a gap between nonces refused: ${waiting_message}.`,
    )
  })

  it('names a cancellation that is not in a block yet', () => {
    const attempts = [attempt('send'), attempt('cancel')]
    expect(explainTransaction(transaction({ state: 'broadcast', attempts }))).toBe(
      'Cancelling the transaction. Waiting for a block.',
    )
  })

  it('quotes the reason of a revert, which a reorganization can still undo', () => {
    const failure = { code: 'reverted' as const, message: 'Error("paused")' }
    const reverted = transaction({ state: 'failed', mined: MINED, failure })
    expect(explainTransaction(reverted)).toBe(
      'Reverted in block 7: Error("paused"). A reorganization can still remove its block.',
    )
    expect(explainTransaction({ ...reverted, ended_at: reverted.created_at })).toBe(
      'Reverted in block 7: Error("paused").',
    )
  })

  it('tells the two kinds of cancellation apart', () => {
    const ended_at = '2026-01-01T00:00:00Z'
    expect(explainTransaction(transaction({ state: 'cancelled', ended_at }))).toBe(
      'Transaction cancelled before it was signed.',
    )
    expect(explainTransaction(transaction({ state: 'cancelled', mined: MINED, ended_at }))).toBe(
      'Transaction cancelled in block 7.',
    )
  })
})

describe('a link to a block explorer', () => {
  it('leads to the explorer of the chain', () => {
    expect(explorerUrl(8453, 'tx', HASH)).toBe(`https://basescan.org/tx/${HASH}`)
    expect(explorerUrl(1, 'address', ADDRESS)).toBe(`https://etherscan.io/address/${ADDRESS}`)
    expect(coinOf(137)).toBe('POL')
  })

  it('leads to the explorer that the deployment has configured', () => {
    const configured = { 1: 'https://explorer.example/mainnet', 31_337: 'https://local.example' }
    expect(explorerUrl(1, 'tx', HASH, configured)).toBe(
      `https://explorer.example/mainnet/tx/${HASH}`,
    )
    expect(explorerUrl(31_337, 'tx', HASH, configured)).toBe(`https://local.example/tx/${HASH}`)
    expect(explorerUrl(8453, 'tx', HASH, configured)).toBe(`https://basescan.org/tx/${HASH}`)
  })

  it('injected script: is omitted unless the explorer has https', () => {
    for (const url of ['http://etherscan.io', 'javascript:alert(1)//', ''])
      expect(explorerUrl(1, 'tx', HASH, { 1: url }), url).toBeUndefined()
  })

  it('is omitted for a chain without a known explorer', () => {
    expect(explorerUrl(31_337, 'tx', HASH)).toBeUndefined()
    expect(coinOf(31_337)).toBe('native coin')
  })

  it('injected link: is omitted if the hash is not one', () => {
    for (const id of ['../login', `${HASH}?x`, `${HASH}\n`, 'javascript:alert(1)', ''])
      expect(explorerUrl(1, 'tx', id), id).toBeUndefined()
  })
})

it('warns of a balance below the threshold, and of a transaction that waits for funds', () => {
  const balance = {
    chain: 'base',
    chain_id: 8453,
    balance: '1',
    low_balance: '2',
    is_low: true,
    read_at: '2026-01-01T00:00:00Z',
  }
  const waiting = transaction({ waiting_for: 'funds', chain: 'polygon' })
  const others = [transaction({ waiting_for: 'order', chain: 'bsc' }), transaction()]
  expect(lowBalanceChains([balance], [waiting, ...others])).toEqual(['base', 'polygon'])
  expect(lowBalanceChains([{ ...balance, is_low: false }], others)).toEqual([])
})

it('polls less and less often while nothing changes', () => {
  const unchanged = (pauseMs: number) => nextPollMs(pauseMs, false)
  expect([0, 2_000, 3_000, 14_000, 15_000].map(unchanged)).toEqual([
    2_000, 3_000, 4_500, 15_000, 15_000,
  ])
  expect(nextPollMs(15_000, true)).toBe(2_000)
})
