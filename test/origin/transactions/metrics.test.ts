/** Metrics of transactions, and of the nodes of their chains. */
import { afterEach, expect, it } from 'vitest'
import { Counters } from '../../../origin/metrics/counters.ts'
import { registerTransactionGauges } from '../../../origin/metrics/transaction-gauges.ts'
import { ConfiguredChains } from '../../../origin/transactions/chains.ts'
import type { ChainTransactions } from '../../../origin/transactions/types.ts'
import { chainsSetting } from '../../../shared/config/chain-settings.ts'
import {
  down,
  type JsonRpcProxy,
  type Rule,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'

const NOW = 1_000_000

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const empty: Rule = (calls) =>
  calls.map(({ method }) => ({ result: method === 'eth_chainId' ? '0x2105' : '0x0' }))

async function startNode(rule: Rule): Promise<JsonRpcProxy> {
  const node = await startJsonRpcProxy('http://127.0.0.1:1')
  node.use(rule)
  closing.push(() => node.close())
  return node
}

function start(rpc: string[], status: readonly ChainTransactions[] = []) {
  const CHAINS = {
    base: { chain_id: 8453, rpc },
    bsc: { chain_id: 56, rpc: ['http://127.0.0.1:1'] },
  }
  const chains = new ConfiguredChains(chainsSetting.parse(JSON.stringify(CHAINS)), {
    fetch: (url, init) => fetch(url, init),
    now: () => NOW,
    random: Math.random,
    log: () => {},
  })
  closing.push(() => chains.close())
  const counters = new Counters()
  counters.startChains(chains.all())
  const transactions = { status: () => status }
  registerTransactionGauges(counters.registry, { now: () => NOW, chains, transactions })
  /** Values by series, of the metrics whose name begins so. */
  const read = async (prefix: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await counters.registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith(prefix))
        .map((line) => line.split(' '))
        .map(([series, value]) => [series, Number(value)]),
    )
  return { chains, counters, read }
}

it('shows open transactions and how long the oldest has waited, by chain and reason', async () => {
  const { read } = start(
    ['http://127.0.0.1:1'],
    [
      {
        chainId: 8453,
        open: 3,
        oldestUnmined: new Map([
          [null, NOW - 90_000],
          ['fees', NOW - 1_500],
        ]),
        lowBalanceWallets: 2,
      },
    ],
  )
  expect(await read('svc_transactions_open')).toEqual({
    'svc_transactions_open{chain="base"}': 3,
    'svc_transactions_open{chain="bsc"}': 0,
  })
  expect(await read('svc_transactions_low_balance_wallets')).toEqual({
    'svc_transactions_low_balance_wallets{chain="base"}': 2,
    'svc_transactions_low_balance_wallets{chain="bsc"}': 0,
  })
  const ages = await read('svc_transactions_oldest_unmined_seconds')
  expect(Object.keys(ages)).toHaveLength(12)
  expect(Object.entries(ages).filter(([, age]) => age > 0)).toEqual([
    ['svc_transactions_oldest_unmined_seconds{chain="base",reason="none"}', 90],
    ['svc_transactions_oldest_unmined_seconds{chain="base",reason="fees"}', 1.5],
  ])
})

it('counts ends, attempts with higher fees and foreign nonces by chain, from zero', async () => {
  const { counters, read } = start(['http://127.0.0.1:1'])
  const series = 'svc_transactions_ended_total{chain="base",state="failed"}'
  expect((await read('svc_transactions_ended_total'))[series]).toBe(0)
  counters.countEvent('transactions.failed', { chain: 'base', code: 'would_revert' })
  counters.countEvent('transactions.final', { chain: 'base' })
  counters.countEvent('transactions.final', { chain: 'bsc' })
  counters.countEvent('transactions.sped_up', { chain: 'bsc' })
  counters.countEvent('transactions.foreign_nonce', { chain: 'base', nonces: 2 })
  counters.countEvent('transactions.low_balance', { chain: 'base' })
  expect({
    ...(await read('svc_transactions_ended_total')),
    ...(await read('svc_transactions_sped_up_total')),
    ...(await read('svc_transactions_foreign_nonces_total')),
  }).toEqual({
    'svc_transactions_ended_total{chain="base",state="final"}': 1,
    'svc_transactions_ended_total{chain="base",state="replaced"}': 0,
    'svc_transactions_ended_total{chain="base",state="cancelled"}': 0,
    'svc_transactions_ended_total{chain="base",state="failed"}': 1,
    'svc_transactions_ended_total{chain="bsc",state="final"}': 1,
    'svc_transactions_ended_total{chain="bsc",state="replaced"}': 0,
    'svc_transactions_ended_total{chain="bsc",state="cancelled"}': 0,
    'svc_transactions_ended_total{chain="bsc",state="failed"}': 0,
    'svc_transactions_sped_up_total{chain="base"}': 0,
    'svc_transactions_sped_up_total{chain="bsc"}': 1,
    'svc_transactions_foreign_nonces_total{chain="base"}': 2,
    'svc_transactions_foreign_nonces_total{chain="bsc"}': 0,
  })
})

it('shows nodes by chain and position once they were asked, and never their URLs', async () => {
  const nodes = await Promise.all([empty, empty, down].map(startNode))
  const urls = nodes.map(({ url }) => `${url}/canary-key`)
  const { chains, counters, read } = start(urls)
  expect(await read('svc_transactions_node_up')).toEqual({})
  const { provider } = chains.require('base')
  expect(await provider.getTransactionCount(`0x${'11'.repeat(20)}`)).toBe(0)
  await expect
    .poll(() => read('svc_transactions_node_up'))
    .toEqual({
      'svc_transactions_node_up{chain="base",node="0"}': 1,
      'svc_transactions_node_up{chain="base",node="1"}': 1,
      'svc_transactions_node_up{chain="base",node="2"}': 0,
    })
  const failures = await read('svc_transactions_node_failures_total')
  expect(failures['svc_transactions_node_failures_total{chain="base",node="2"}']).toBeGreaterThan(0)
  expect(failures['svc_transactions_node_failures_total{chain="bsc",node="0"}']).toBe(0)
  const text = await counters.registry.metrics()
  for (const { url } of nodes) expect(text).not.toContain(url)
  expect(text).not.toContain('canary-key')
})

it('counts a node that contradicts the others about a receipt', async () => {
  const hash = `0x${'ab'.repeat(32)}`
  const receipt =
    (status: string): Rule =>
    (calls) =>
      calls.map(({ method }) => ({
        result: method === 'eth_chainId' ? '0x2105' : { transactionHash: hash, status, logs: [] },
      }))
  const nodes = await Promise.all([receipt('0x1'), receipt('0x1'), receipt('0x0')].map(startNode))
  const { chains, read } = start(nodes.map(({ url }) => url))
  const { provider } = chains.require('base')
  expect(await provider.send('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  const series = (node: number) =>
    `svc_transactions_node_disagreements_total{chain="base",node="${node}",about="receipt"}`
  await expect
    .poll(async () => (await read('svc_transactions_node_disagreements_total'))[series(2)])
    .toBe(1)
  expect((await read('svc_transactions_node_disagreements_total'))[series(0)]).toBe(0)
})
