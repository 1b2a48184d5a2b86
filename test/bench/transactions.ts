/**
 * Measures transactions on anvil, which mines each one at once: the time from the request to its arrival at a node, the
 * rate of one and of 16 wallets, and the requests to the node for each transaction. Baseline of the rates: ethers with a
 * local counter of nonces, which stores nothing, follows nothing and repeats nothing.
 */
import { JsonRpcProvider, Wallet } from 'ethers'
import { openDatabase } from '../../origin/db/open.ts'
import { startJsonRpcProxy } from '../doubles/json-rpc-proxy.ts'
import { startChain } from '../origin/chain.ts'
import { PAYEE } from '../origin/transactions/campaign/orders.ts'
import { keepLease } from '../origin/transactions/campaign/process-lease.ts'
import {
  ACCOUNT_HASH,
  ACTION_CID,
  onlyChain,
  ownerOf,
  signerOf,
  type SendingWallet,
  sendingWallets,
} from '../origin/transactions/campaign/sending-wallets.ts'
import { CHAIN } from '../origin/transactions/engine.ts'
import { startTransactions } from '../origin/transactions/campaign/start-transactions.ts'
import { startDurablePostgres } from './durable-postgres.ts'
import { median, percentile, report } from './report.ts'

/** Alternating rounds, because on a noisy machine a ratio is more reliable than an absolute figure. */
const ROUNDS = 5
const SENDS = 320
const LATENCIES = 100
const WALLETS = 16
const SPARE_WALLETS = 1
/** Requests that a caller makes at the same time. */
const CONCURRENCY = 64

/** As in the local stack. */
const FINALITY = 2
const POLL_MS = 1_000

export async function transactions(): Promise<void> {
  const wallets = sendingWallets(2 * (WALLETS + SPARE_WALLETS), 1)
  const [own, bare] = [wallets.slice(0, wallets.length / 2), wallets.slice(wallets.length / 2)]
  const chain = await startChain()
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
  })
  for (const { address } of wallets)
    await provider.send('anvil_setBalance', [address, '0x56bc75e2d63100000'])
  const postgres = await startDurablePostgres()
  const url = await postgres.createDatabase('transactions')

  const service = await started(url, chain.rpcUrl, own)
  for (const [metric, count] of [
    ['tx_per_s_one_wallet', 1],
    ['tx_per_s_16_wallets', WALLETS],
  ] as const) {
    const [sending, baseline] = [own.slice(0, count), bare.slice(0, count)]
    await rateOf(provider, sending, (index) => service.send(sending[index % count]!))
    const counters = await bareSenders(provider, baseline)
    const [rates, floors]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      rates.push(await rateOf(provider, sending, (index) => service.send(sending[index % count]!)))
      floors.push(await rateOf(provider, baseline, (index) => counters[index % count]!()))
    }
    const [value, floor] = [median(rates), median(floors)]
    report({
      bench: 'transactions',
      metric,
      value,
      unit: '1/s',
      baseline: floor,
      ratio: value / floor,
    })
  }
  await service.close()
  await measureRequests(url, chain.rpcUrl, provider, own)
  provider.destroy()
  await chain.close()
  await postgres.close()
}

/** Latency and requests, at a proxy in front of the node. */
async function measureRequests(
  url: string,
  rpcUrl: string,
  provider: JsonRpcProvider,
  wallets: readonly SendingWallet[],
): Promise<void> {
  const proxy = await startJsonRpcProxy(rpcUrl)
  let onBroadcast = () => {}
  proxy.use((calls, forward) => {
    if (calls.some(({ method }) => method === 'eth_sendRawTransaction')) onBroadcast()
    return forward(calls)
  })
  const service = await started(url, proxy.url, wallets)
  const wallet = wallets.at(-1)!
  const sendOne = async () => {
    const arrived = new Promise<void>((resolve) => (onBroadcast = resolve))
    const began = performance.now()
    const { id } = await service.send(wallet)
    await arrived
    const ms = performance.now() - began
    await service.transactions.waitFor(ACCOUNT_HASH, id, 'mined', 10_000)
    return ms
  }
  for (let n = 0; n < LATENCIES / 10; n++) await sendOne()
  const times: number[] = []
  for (let n = 0; n < LATENCIES; n++) times.push(await sendOne())
  report({
    bench: 'transactions',
    metric: 'send_to_broadcast_p50_ms',
    value: percentile(times, 0.5),
    unit: 'ms',
  })

  onBroadcast = () => {}
  for (const [metric, sending] of [
    ['rpc_calls_per_transaction', wallets.slice(0, 1)],
    ['rpc_calls_per_transaction_16_wallets', wallets.slice(0, WALLETS)],
  ] as const) {
    const before = proxy.seen().methods.length
    await rateOf(provider, sending, (index) => service.send(sending[index % sending.length]!))
    const value = (proxy.seen().methods.length - before) / SENDS
    report({ bench: 'transactions', metric, value, unit: 'calls' })
  }
  await service.close()
  await proxy.close()
}

let processes = 0

async function started(url: string, rpcUrl: string, wallets: readonly SendingWallet[]) {
  const { db, close } = await openDatabase({ url })
  const processId = `bench ${++processes}`
  const endLease = await keepLease(db, processId, 15_000)
  const service = startTransactions({
    db,
    databaseUrl: url,
    processId,
    chains: onlyChain([rpcUrl], { finality: FINALITY, pollMs: POLL_MS }),
    signer: signerOf(wallets),
    log: () => {},
  })
  const origin = { principal: ownerOf(wallets), actionCid: ACTION_CID }
  let sent = 0
  return {
    transactions: service,
    send: ({ pkpId }: SendingWallet) =>
      service.send(
        { pkpId, chain: CHAIN, to: PAYEE, data: '0x', value: 1n },
        { ...origin, idempotencyKey: `${processId} ${++sent}` },
      ),
    close: async () => {
      await service.close()
      endLease()
      await close()
    },
  }
}

/** Sends of each wallet with a nonce that this process counts. */
function bareSenders(provider: JsonRpcProvider, wallets: readonly SendingWallet[]) {
  return Promise.all(
    wallets.map(async ({ key, address }) => {
      let nonce = await provider.getTransactionCount(address)
      const wallet = new Wallet(key, provider)
      const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
      const { chainId } = await provider.getNetwork()
      return async () => {
        const own = nonce++
        const raw = await wallet.signTransaction({
          type: 2,
          chainId,
          to: PAYEE,
          value: 1n,
          gasLimit: 21_000n,
          nonce: own,
          ...fees,
        })
        await provider.broadcastTransaction(raw)
      }
    }),
  )
}

/** Transactions per second until all of them are mined. */
async function rateOf(
  provider: JsonRpcProvider,
  wallets: readonly SendingWallet[],
  send: (index: number) => Promise<unknown>,
): Promise<number> {
  const noncesNow = () =>
    Promise.all(wallets.map(({ address }) => provider.getTransactionCount(address)))
  const sum = (nonces: readonly number[]) => nonces.reduce((total, nonce) => total + nonce, 0)
  const before = sum(await noncesNow())
  const began = performance.now()
  let next = 0
  const caller = async () => {
    while (next < SENDS) await send(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, caller))
  while (sum(await noncesNow()) < before + SENDS) await new Promise((later) => setTimeout(later, 5))
  return (SENDS / (performance.now() - began)) * 1_000
}
