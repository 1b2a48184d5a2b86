import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TransactionIdentityError } from '../../../origin/transactions/errors.ts'
import { UnknownChainError } from '../../../origin/transactions/unknown-chain-error.ts'
import { accountHash, type Engine, newWallet, startEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  // As on Ethereum, no transaction may have a gas limit above 2^24.
  engine = await startEngine(['--block-time', '1', '--mixed-mining', '--enable-tx-gas-limit'])
})
afterAll(() => engine.close())
afterEach(() => engine.closeProcesses())

describe('a transaction', () => {
  it('is stored, signed, sent, mined and final', async () => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const to = newWallet().address
    const sent = await process.send(wallet, { to, value: 5n })
    expect(sent).toMatchObject({ state: 'queued', nonce: null, attempts: [], mined: null })
    for (const chainId of [31_337, undefined])
      expect(await process.transactions.hasOpen(chainId, wallet.address)).toBe(true)
    const mined = await process.waitFor(sent.id, 'mined')
    expect(mined).toMatchObject({ nonce: 0, gas: '21000', failure: null })
    expect(mined.attempts).toHaveLength(1)
    expect(mined.mined?.hash).toBe(mined.attempts[0]!.hash)
    const final = await process.waitFor(sent.id, 'final')
    expect(final).toMatchObject({ state: 'final', mined: mined.mined })
    expect(final.ended_at).not.toBeNull()
    expect(BigInt(await engine.send('eth_getBalance', [to, 'latest']))).toBe(5n)
    for (const chainId of [31_337, undefined])
      expect(await process.transactions.hasOpen(chainId, wallet.address)).toBe(false)
  })

  it.each([
    ['estimated', undefined],
    ['requested', 20_000_000n],
  ])('is sent with the highest gas limit of the chain if more is %s', async (_, gasLimit) => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const { address: to } = newWallet()
    // Counts down, which needs 15.4 million gas, and 18.4 million with a reserve.
    await engine.send('anvil_setCode', [to, '0x620900005b600190038060045700'])
    const { id } = await process.send(wallet, { to, value: 0n, ...(gasLimit && { gasLimit }) })
    expect(await process.waitFor(id, 'mined')).toMatchObject({ state: 'mined', gas: '16777216' })
  })

  it('is sent once, however often it is requested with the same identity', async () => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const origin = { runId: 'run', step: 0, idempotencyKey: 'key' }
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await process.send(wallet, {}, origin)).id),
    )
    expect(new Set(ids).size).toBe(1)
    await process.waitFor(ids[0]!, 'final')
    expect((await process.send(wallet, {}, { ...origin, runId: 'replay' })).state).toBe('final')
    expect(await engine.nonceOf(wallet)).toBe(1)
    await expect(process.send(wallet, { value: 2n }, origin)).rejects.toThrow(
      TransactionIdentityError,
    )
  })

  it('is rejected on an unknown chain, with the known ones', async () => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const sent = process.send(wallet, { chain: 'nowhere' })
    await expect(sent).rejects.toThrow(UnknownChainError)
    await expect(sent).rejects.toThrow('unknown chain "nowhere"; known chains: local (31337)')
  })

  it('is listed with filters, newest first, and hidden from other accounts', async () => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const ids: string[] = []
    for (const runId of ['a', 'a', 'b'])
      ids.push((await process.send(wallet, {}, { runId, step: ids.length })).id)
    const { transactions } = process
    const page = { offset: 0, limit: 2 }
    const { pkpId } = wallet
    const all = await transactions.list(accountHash, { pkpId, chain: 'local' }, page)
    expect(all.total).toBe(3)
    expect(all.records.map(({ id }) => id)).toEqual([ids[2], ids[1]])
    const ofRun = await transactions.list(accountHash, { pkpId, runId: 'a' }, page)
    expect(ofRun.records.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect((await transactions.list('0xother', {}, page)).total).toBe(0)
    expect(await transactions.find('0xother', ids[0]!)).toBeUndefined()
    expect(await transactions.cancel('0xother', ids[0]!)).toBeUndefined()
  })
})

describe('many transactions of a wallet', () => {
  it('are mined in their order, without a gap', async () => {
    const [process, wallet] = await Promise.all([engine.open(), engine.wallet()])
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, n) => process.send(wallet, { value: BigInt(n) })),
    )
    await Promise.all(sent.map(({ id }) => process.waitFor(id, 'mined')))
    const page = { offset: 0, limit: 100 }
    const { records } = await process.transactions.list(accountHash, { pkpId: wallet.pkpId }, page)
    const nonces = records.toReversed().map(({ nonce }) => nonce)
    expect(nonces).toEqual(Array.from({ length: 100 }, (_, n) => n))
    expect(records.every(({ attempts }) => attempts.length === 1)).toBe(true)
  })
})
