/** Reorganizations, nonces used elsewhere, gaps and lost processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress, Transaction } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transactions } from '../../../origin/db/schema.ts'
import { losing, startJsonRpcProxy } from '../../doubles/json-rpc-proxy.ts'
import {
  accountHash,
  CHAIN_ID,
  type Engine,
  type EngineProcess,
  newWallet,
  startEngine,
  type Wallet,
} from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.close())
afterEach(async () => {
  await engine.closeProcesses()
  await engine.send('anvil_dropAllTransactions', [])
  await engine.goOn()
})

const start = () => Promise.all([engine.open(), engine.wallet()])
const allOf = async (process: EngineProcess, { pkpId }: Wallet) =>
  (await process.transactions.list(accountHash, { pkpId }, { offset: 0, limit: 200 })).records

/** Sends a transaction with the wallet's key, as another program would. */
async function sendForeign(
  { key }: Wallet,
  nonce: number,
  call: { to?: string; value?: bigint; tip?: bigint } = {},
): Promise<string> {
  const { to = newWallet().address, value = 3n, tip = 10_000_000_000n } = call
  const fees = { maxFeePerGas: 4n * tip, maxPriorityFeePerGas: tip, gasLimit: 21_000n }
  const transaction = Transaction.from({ type: 2, chainId: CHAIN_ID, nonce, to, value, ...fees })
  transaction.signature = key.sign(transaction.unsignedHash)
  await engine.send('eth_sendRawTransaction', [transaction.serialized])
  // While it is only in the pool, the service can outbid it.
  await engine.mine()
  return transaction.hash!.toLowerCase()
}

describe('after a reorganization', () => {
  for (const depth of [1, 5, 64])
    it(`of ${depth} blocks, a transaction is sent again and mined once`, async () => {
      const process = await engine.open({ finality: 64 })
      const wallet = await engine.wallet()
      const to = newWallet().address
      await engine.standStill()
      const { id } = await process.send(wallet, { to, value: 5n })
      await process.until(id, ({ state }) => state === 'broadcast')
      await engine.mine()
      const before = await process.waitFor(id, 'mined')
      await engine.mine(depth - 1)
      await sleep(300)
      await engine.send('anvil_reorg', [depth, []])
      await process.until(id, ({ state }) => state === 'broadcast')
      await engine.mine(2)
      const after = await process.waitFor(id, 'mined')
      expect(after.attempts).toEqual(before.attempts)
      expect(after.mined?.block_hash).not.toBe(before.mined?.block_hash)
      await engine.mine(64)
      const final = await process.waitFor(id, 'final')
      expect(final).toMatchObject({ state: 'final', mined: after.mined })
      expect(BigInt(await engine.send('eth_getBalance', [to, 'latest']))).toBe(5n)
    })
})

it('a reorganization while a transaction is simulated does not lead to a nonce that was used before', async () => {
  const proxy = await startJsonRpcProxy(engine.chain.rpcUrl)
  const seen = (method: string) => proxy.seen().methods.filter((one) => one === method).length
  try {
    const [process, wallet] = await Promise.all([
      engine.open({ rpcUrls: [proxy.url], finality: 64 }),
      engine.wallet(),
    ])
    await engine.standStill()
    await engine.send('anvil_setNonce', [wallet.address, '0x3'])
    await engine.mine()
    const { id: first } = await process.send(wallet)
    await process.until(first, ({ state }) => state === 'broadcast')
    await engine.mine()
    await process.waitFor(first, 'mined')

    const { promise: simulated, resolve: simulate } = Promise.withResolvers<void>()
    proxy.use(async (calls, forward) => {
      if (calls.some(({ method }) => method === 'eth_estimateGas')) await simulated
      return forward(calls)
    })
    const { id } = await process.send(wallet)
    await expect.poll(() => seen('eth_estimateGas'), { timeout: 60_000 }).toBeGreaterThan(1)
    await engine.send('anvil_reorg', [1, []])
    const before = seen('eth_getBlockByNumber')
    await expect
      .poll(() => seen('eth_getBlockByNumber'), { timeout: 60_000 })
      .toBeGreaterThan(before + 1)
    simulate()
    expect(await process.until(id, ({ nonce }) => nonce !== null)).toMatchObject({ nonce: 4 })
  } finally {
    await engine.closeProcesses()
    await proxy.close()
  }
})

describe('a nonce that is used elsewhere', () => {
  it('before the signature: takes the next one at once, however far', async () => {
    const [process, wallet] = await start()
    const { id: first } = await process.send(wallet)
    await process.waitFor(first, 'final')
    await engine.send('anvil_setNonce', [wallet.address, '0x259'])
    await sleep(2_100)
    const { id } = await process.send(wallet)
    expect(await process.waitFor(id, 'mined')).toMatchObject({ nonce: 0x259 })
    const foreign = process.logs.filter(({ event }) => event === 'transactions.foreign_nonce')
    expect(foreign.map(({ facts }) => facts['nonces'])).toEqual([600])
  })

  /** Signs a transaction that no node gets, and lets a foreign transaction use its nonce. */
  const startLost = async (call?: { to?: string; value?: bigint }) => {
    const wallet = await engine.wallet()
    const proxy = await startJsonRpcProxy(engine.chain.rpcUrl)
    proxy.use((calls, forward) =>
      calls.some(({ method }) => method === 'eth_sendRawTransaction') ? 'cut' : forward(calls),
    )
    const process = await engine.open({ rpcUrls: [proxy.url] })
    const to = newWallet().address
    const { id } = await process.send(wallet, { to, value: 5n })
    await process.until(id, ({ attempts }) => attempts.length === 1)
    const hash = await sendForeign(wallet, 0, call ?? { to: newWallet().address })
    proxy.use(undefined)
    return { wallet, process, id, to, hash, close: () => proxy.close() }
  }

  it('after the signature: signs with another nonce once that is final', async () => {
    const { process, id, to, wallet, close } = await startLost()
    const mined = await process.waitFor(id, 'mined')
    await close()
    expect(mined.attempts.map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(mined).toMatchObject({ state: 'mined', nonce: 1, replaced_by: null })
    expect(BigInt(await engine.send('eth_getBalance', [to, 'latest']))).toBe(5n)
    expect(await engine.nonceOf(wallet)).toBe(2)
  })

  it('by an empty transaction of the wallet to itself: is replaced, and not sent again', async () => {
    const wallet = await engine.wallet()
    const proxy = await startJsonRpcProxy(engine.chain.rpcUrl)
    proxy.use((calls, forward) =>
      calls.some(({ method }) => method === 'eth_sendRawTransaction') ? 'cut' : forward(calls),
    )
    const process = await engine.open({ rpcUrls: [proxy.url] })
    const { id } = await process.send(wallet)
    await process.until(id, ({ attempts }) => attempts.length === 1)
    const hash = await sendForeign(wallet, 0, { to: wallet.address, value: 0n })
    proxy.use(undefined)
    const replaced = await process.waitFor(id, 'final')
    await proxy.close()
    expect(replaced).toMatchObject({ state: 'replaced', replaced_by: hash, mined: null })
    expect(await engine.nonceOf(wallet)).toBe(1)
  })
})

describe('a gap between nonces', () => {
  /** Sends a transaction with the nonce 1. A reorganization then removes the foreign one with the nonce 0. */
  const startGap = async () => {
    const process = await engine.open({ finality: 64 })
    const wallet = await engine.wallet()
    await engine.standStill()
    await sendForeign(wallet, 0)
    const { id } = await process.send(wallet)
    await process.until(id, ({ state }) => state === 'broadcast')
    expect((await process.get(id)).nonce).toBe(1)
    await engine.send('anvil_reorg', [1, []])
    await engine.send('anvil_dropAllTransactions', [])
    await engine.goOn()
    return { process, wallet, id }
  }

  it('that the signer refuses to fill is explained, and filled by the next transaction', async () => {
    const refused = { code: 'policy_denied', message: 'Denied: too much.' } as const
    engine.signer.beforeCancel = () => ({ refused })
    const { process, wallet, id } = await startGap()
    const waiting = await process.until(id, (record) => record.waiting_message !== null)
    engine.signer.beforeCancel = () => undefined
    expect(waiting).toMatchObject({ waiting_for: 'order', waiting_message: refused.message })
    const { id: next } = await process.send(wallet)
    expect(await process.waitFor(next, 'mined')).toMatchObject({ nonce: 0 })
    const mined = { state: 'mined', nonce: 1, waiting_for: null, waiting_message: null }
    expect(await process.waitFor(id, 'mined')).toMatchObject(mined)
  })

  it('that a reorganization left is filled, so that later transactions are mined', async () => {
    const { process, wallet, id } = await startGap()
    const mined = await process.waitFor(id, 'mined')
    expect(mined).toMatchObject({ state: 'mined', nonce: 1 })
    const filler = (await allOf(process, wallet)).find((record) => record.id !== id)!
    expect(filler).toMatchObject({ nonce: 0, to: getAddress(wallet.address), value: '0' })
    expect(process.logs.some(({ event }) => event === 'transactions.gap_filled')).toBe(true)
  })
})

describe('several processes', () => {
  it('send the transactions of one wallet through the holder of its lane', async () => {
    const [one, other, wallet] = await Promise.all([engine.open(), engine.open(), engine.wallet()])
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).send(wallet)),
    )
    await Promise.all(sent.map(({ id }) => other.waitFor(id, 'mined')))
    const nonces = (await allOf(one, wallet)).map(({ nonce }) => nonce!)
    expect(nonces.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect(await engine.nonceOf(wallet)).toBe(40)
  })

  it('continue the transactions of a process whose lease has ended, with the same bytes', async () => {
    const wallet = await engine.wallet()
    await engine.standStill()
    const one = await engine.open()
    const { id } = await one.send(wallet)
    const { attempts } = await one.until(id, ({ state }) => state === 'broadcast')
    await engine.send('anvil_dropAllTransactions', [])
    await engine.lease(one.processId, -1)
    const other = await engine.open()
    await engine.goOn()
    const mined = await other.waitFor(id, 'final')
    expect(mined.attempts).toEqual(attempts)
    expect(await engine.nonceOf(wallet)).toBe(1)
    // The first process may not sign any more.
    const { id: next } = await one.send(wallet)
    await other.waitFor(next, 'final')
    expect(await engine.nonceOf(wallet)).toBe(2)
  })

  it('continue at once after their predecessor, and after a process that was closed', async () => {
    const wallet = await engine.wallet()
    await engine.standStill()
    const one = await engine.open()
    const { id } = await one.send(wallet)
    await one.until(id, ({ state }) => state === 'broadcast')
    await one.close()
    const other = await engine.open({ predecessor: one.processId })
    await engine.goOn()
    await other.waitFor(id, 'final')
    expect(await engine.nonceOf(wallet)).toBe(1)
  })
})

describe('a faulty node', () => {
  it('that loses its responses after a broadcast: the transaction is mined once', async () => {
    const [wallet, proxy] = await Promise.all([
      engine.wallet(),
      startJsonRpcProxy(engine.chain.rpcUrl),
    ])
    proxy.use(losing('eth_sendRawTransaction'))
    const process = await engine.open({ rpcUrls: [proxy.url] })
    const sent = await Promise.all(Array.from({ length: 10 }, () => process.send(wallet)))
    await Promise.all(sent.map(({ id }) => process.waitFor(id, 'mined')))
    await proxy.close()
    expect(await engine.nonceOf(wallet)).toBe(10)
    const rows = await engine.db.select().from(transactions)
    const own = rows.filter(({ address }) => address === wallet.address)
    expect(own).toHaveLength(10)
  })

  for (const message of ['nonce too low', 'already known', 'replacement transaction underpriced'])
    it(`that answers "${message}": the transaction is mined once`, async () => {
      const [wallet, proxy] = await Promise.all([
        engine.wallet(),
        startJsonRpcProxy(engine.chain.rpcUrl),
      ])
      let lies = 3
      proxy.use(async (calls, forward) =>
        calls.some(({ method }) => method === 'eth_sendRawTransaction') && lies-- > 0
          ? calls.map(() => ({ error: { code: -32_603, message } }))
          : forward(calls),
      )
      const process = await engine.open({ rpcUrls: [proxy.url] })
      const { id } = await process.send(wallet)
      const mined = await process.waitFor(id, 'final')
      await proxy.close()
      expect(mined).toMatchObject({ state: 'final', nonce: 0 })
      expect(await engine.nonceOf(wallet)).toBe(1)
    })
})
