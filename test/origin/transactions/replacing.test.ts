import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { hexlify, randomBytes } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { transactionAttempts, transactionDefaults } from '../../../origin/db/schema.ts'
import { TRANSACTION_ATTEMPTS_MAX } from '../../../shared/limits.ts'
import { startJsonRpcProxy } from '../../doubles/json-rpc-proxy.ts'
import { accountHash, CHAIN_ID, type Engine, newWallet, startEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.close())
beforeEach(() => engine.standStill())
afterEach(async () => {
  engine.signer.beforeCancel = () => undefined
  await engine.closeProcesses()
  await engine.send('anvil_dropAllTransactions', [])
  await engine.goOn()
})

/** Starts a process, and sends a transaction that no block includes. */
async function startPending(request = {}) {
  const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
  const { id } = await process.send(wallet, request)
  const sent = await process.until(id, ({ state }) => state === 'broadcast')
  return { process, wallet, id, sent }
}

/** Waits until the node has an attempt, which is recorded before it is sent. */
async function inPool(hash: string): Promise<void> {
  const find = () => engine.send('eth_getTransactionByHash', [hash])
  await expect.poll(find, { timeout: 60_000 }).not.toBeNull()
}

describe('a transaction is cancelled', () => {
  it('at once before it is signed', async () => {
    const proxy = await startJsonRpcProxy(engine.chain.rpcUrl)
    // Nothing is signed before the chain answers.
    const answers = Promise.withResolvers<void>()
    proxy.use(async (calls, forward) => {
      await answers.promise
      return forward(calls)
    })
    try {
      const [process, wallet] = await Promise.all([
        engine.open({ rpcUrls: [proxy.url] }),
        engine.wallet(),
      ])
      const { id } = await process.send(wallet)
      const cancelled = await process.transactions.cancel(accountHash, id)
      expect(cancelled).toMatchObject({ state: 'cancelled', nonce: null, attempts: [] })
      expect(cancelled?.ended_at).not.toBeNull()
      expect(await process.transactions.cancel(accountHash, id)).toEqual(cancelled)
    } finally {
      answers.resolve()
      await engine.closeProcesses()
      await proxy.close()
    }
  })

  it('by an empty transaction with its nonce after it is sent', async () => {
    const { process, wallet, id, sent } = await startPending({ to: newWallet().address, value: 7n })
    await process.transactions.cancel(accountHash, id)
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    await inPool(attempts[1]!.hash)
    await engine.goOn()
    const cancelled = await process.waitFor(id, 'final')
    expect(cancelled).toMatchObject({ state: 'cancelled', nonce: sent.nonce })
    expect(cancelled.attempts.map(({ kind, nonce }) => [kind, nonce])).toEqual([
      ['send', 0],
      ['cancel', 0],
    ])
    expect(cancelled.mined?.hash).toBe(cancelled.attempts[1]!.hash)
    expect(BigInt(await engine.send('eth_getBalance', [sent.to, 'latest']))).toBe(0n)
    expect(await engine.nonceOf(wallet)).toBe(1)
  })

  it('at a price that the next blocks require, although the transaction may not cost as much', async () => {
    const gwei = 10n ** 9n
    const setBaseFee = async (wei: bigint) => {
      await engine.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`])
      await engine.mine()
    }
    await setBaseFee(15n * gwei)
    const { process, id } = await startPending({ maxFeePerGas: 20n * gwei })
    await setBaseFee(21n * gwei)
    await process.until(id, ({ waiting_for }) => waiting_for === 'fees')
    await process.transactions.cancel(accountHash, id)
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    expect(attempts[1]!.kind).toBe('cancel')
    const fee = BigInt(attempts[1]!.max_fee_per_gas)
    expect(fee).toBeGreaterThan((21n * gwei * 125n) / 100n)
    // The market's fee is twice the base fee.
    expect(fee).toBeLessThan(30n * gwei)
  })

  it('again and again, but not in each round, if the signer refuses', async () => {
    let aheadMs = 0
    const [process, wallet] = await Promise.all([
      engine.open({ monotonic: () => performance.now() + aheadMs }),
      engine.wallet(),
    ])
    let requests = 0
    const refused = { code: 'policy_denied', message: 'Denied: too much.' } as const
    engine.signer.beforeCancel = () => (requests++, { refused })
    const { id } = await process.send(wallet)
    await process.until(id, ({ state }) => state === 'broadcast')
    // Each request starts a round.
    for (let round = 0; round < 20; round++) {
      await process.transactions.cancel(accountHash, id)
      await sleep(50)
    }
    await expect.poll(() => requests, { timeout: 60_000 }).toBe(1)
    aheadMs = 31_000
    await expect.poll(() => requests, { timeout: 60_000 }).toBe(2)
    engine.signer.beforeCancel = () => undefined
    aheadMs = 62_000
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    expect(attempts[1]).toMatchObject({ kind: 'cancel', nonce: 0 })
  })

  it('not after it is mined', async () => {
    await engine.goOn()
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const { id } = await process.send(wallet)
    await process.waitFor(id, 'mined')
    await process.transactions.cancel(accountHash, id)
    const final = await process.waitFor(id, 'final')
    expect(final).toMatchObject({ state: 'final' })
    expect(final.attempts).toHaveLength(1)
  })
})

describe('a transaction is sped up', () => {
  it('at once on request, with the same nonce and higher fees', async () => {
    const { process, id, sent } = await startPending()
    await process.transactions.speedUp(accountHash, id)
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    const [first, second] = attempts
    expect(second).toMatchObject({ kind: 'speed_up', nonce: sent.nonce })
    for (const name of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const)
      expect(Number(second![name])).toBeGreaterThanOrEqual(Number(first![name]) * 1.1)
    const events = () => process.logs.map(({ event }) => event)
    await expect.poll(events).toContain('transactions.sped_up')
    await inPool(second!.hash)
    await engine.goOn()
    expect((await process.waitFor(id, 'mined')).mined?.hash).toBe(second!.hash)
  })

  it('never over the limit of the request, which the owner may raise', async () => {
    const maxFeePerGas = 900_000_000n
    await engine.send('anvil_setNextBlockBaseFeePerGas', ['0x3e8'])
    await engine.mine()
    const { process, id } = await startPending({ maxFeePerGas })
    await process.transactions.speedUp(accountHash, id)
    const limited = await process.until(id, ({ waiting_for }) => waiting_for === 'fees')
    expect(limited.attempts).toHaveLength(1)
    expect(BigInt(limited.attempts[0]!.max_fee_per_gas)).toBeLessThanOrEqual(maxFeePerGas)
    await process.transactions.speedUp(accountHash, id, 50_000_000_000n)
    const raised = await process.until(
      id,
      ({ attempts, waiting_for }) => attempts.length === 2 && waiting_for === null,
    )
    expect(raised).toMatchObject({ max_fee_per_gas: '50000000000' })
  })

  it('storage exhaustion: at most 64 times, and can be cancelled then', async () => {
    const [first, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const { id } = await first.send(wallet)
    await first.until(id, ({ state }) => state === 'broadcast')
    await first.close()
    const ofTransaction = eq(transactionAttempts.transactionId, id)
    const [attempt] = await engine.db.select().from(transactionAttempts).where(ofTransaction)
    const earlier = Array.from({ length: TRANSACTION_ATTEMPTS_MAX - 1 }, () => ({
      ...attempt!,
      hash: hexlify(randomBytes(32)),
      raw: '',
      maxFeePerGas: 1n,
      createdAt: new Date(0),
    }))
    await engine.db.insert(transactionAttempts).values(earlier)
    const process = await engine.open()
    await process.transactions.speedUp(accountHash, id)
    const limited = await process.until(id, ({ waiting_for }) => waiting_for === 'fees')
    expect(limited.attempts).toHaveLength(TRANSACTION_ATTEMPTS_MAX)
    await process.transactions.cancel(accountHash, id)
    const { attempts } = await process.until(id, (record) => record.attempts.length === 65)
    expect(attempts.at(-1)).toMatchObject({ kind: 'cancel', nonce: 0 })
  })

  it('if its deadline has passed, and not while the chain halts', async () => {
    let aheadMs = 0
    const [process, wallet] = await Promise.all([
      engine.open({ monotonic: () => performance.now() + aheadMs }),
      engine.wallet(),
    ])
    const { id } = await process.send(wallet, { speed: 'fast' })
    await process.until(id, ({ state }) => state === 'broadcast')
    aheadMs = 20_000
    await process.transactions.speedUp('0xother', id)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect((await process.get(id)).attempts).toHaveLength(1)
    await engine.send('anvil_dropAllTransactions', [])
    await engine.mine()
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    expect(attempts[1]).toMatchObject({ kind: 'speed_up', nonce: 0 })
  })

  it('if its fee is below the base fee', async () => {
    const { process, id, sent } = await startPending({ speed: 'cheap' })
    const fee = BigInt(sent.attempts[0]!.max_fee_per_gas)
    await engine.send('anvil_setNextBlockBaseFeePerGas', [`0x${(fee * 3n).toString(16)}`])
    await engine.mine()
    const { attempts } = await process.until(id, (record) => record.attempts.length === 2)
    expect(BigInt(attempts[1]!.max_fee_per_gas)).toBeGreaterThan(fee * 3n)
  })
})

describe('the default limit of the account', () => {
  it('applies to its transactions, which wait for lower fees', async () => {
    const limit = 100n
    const maxFeePerGas = { maxFeePerGas: limit, lowBalance: null, updatedAt: new Date() }
    await engine.db
      .insert(transactionDefaults)
      .values({ accountHash, chainId: CHAIN_ID, ...maxFeePerGas })
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const { id } = await process.send(wallet)
    const sent = await process.until(
      id,
      ({ attempts, waiting_for }) => attempts.length === 1 && waiting_for === 'fees',
    )
    await engine.db.delete(transactionDefaults)
    expect(sent.attempts[0]!.max_fee_per_gas).toBe('100')
  })
})
