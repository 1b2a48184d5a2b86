/** Faults of a chain and its nodes during a write: the result is correct or a 503, and nothing is half done. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { parseEther, toQuantity, Transaction, Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { chainWrites } from '../../../origin/db/schema.ts'
import {
  down,
  everySecond,
  type JsonRpcProxy,
  lagging,
  losing,
  slow,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { newHash, startWriting, type Writing } from './writing.ts'
import { openFresh } from '../db/fresh-database.ts'

let world: Writing
let proxy: JsonRpcProxy
beforeAll(async () => {
  world = await startWriting()
  proxy = await startJsonRpcProxy(world.rpcUrl)
  // The first writer funds the payers.
  await (await world.open()).newAccount(newHash())
  await world.closeWriters()
})
afterEach(async () => {
  proxy.use(undefined)
  await world.goOn()
  await world.closeWriters()
})
afterAll(async () => {
  await world.close()
  await proxy.close()
})

const row = async (writeId: string) =>
  (await world.db.select().from(chainWrites).where(eq(chainWrites.writeId, writeId)))[0]
/** Waits until the node has the write's transaction, and returns the row. */
const sent = async (writeId: string) => {
  await expect.poll(() => row(writeId), { timeout: 5_000 }).toBeDefined()
  const made = (await row(writeId))!
  const hash = Transaction.from(made.transactions[0]).hash!
  await expect
    .poll(() => world.send('eth_getTransactionByHash', [hash]), { timeout: 5_000 })
    .not.toBeNull()
  return { ...made, hash }
}

/** Uses up a nonce of payer 1, as another holder of its key could. */
const useNonce = async (nonce: number) => {
  const wallet = new Wallet(world.payerKey(1), world.chain.provider)
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n }
  await wallet.sendTransaction({ to: wallet.address, nonce, gasLimit: 21_000n, ...fees })
}

describe('a transaction', () => {
  it('is sent again if the node dropped it, and those behind it follow', async () => {
    const { newAccount } = await world.open({ payers: 1 })
    const [first, second] = [newHash(), newHash()]
    await world.standStill()
    const writes = [newAccount(first, 'dropped')]
    const { hash } = await sent('dropped')
    writes.push(newAccount(second, 'behind'))
    await sent('behind')
    await world.send('anvil_dropTransaction', [hash])
    await world.mineUntil(Promise.all(writes))
    expect(await world.accounts(first)).toBe(1)
    expect(await world.accounts(second)).toBe(1)
    expect((await row('dropped'))!.transactions).toHaveLength(1)
  })

  it('is replaced with the same nonce and higher fees if it became too cheap', async () => {
    const { newAccount } = await world.open({ payers: 1 })
    const hash = newHash()
    await world.standStill()
    const write = newAccount(hash, 'cheap')
    const before = await sent('cheap')
    await world.send('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
    await world.mine()
    const receipt = await world.mineUntil(write, 300)
    const after = (await row('cheap'))!
    const [old, replacement] = after.transactions.map((raw) => Transaction.from(raw))
    expect(after.nonce).toBe(before.nonce)
    expect(receipt.hash).toBe(replacement!.hash)
    expect(replacement!.maxFeePerGas! * 8n).toBeGreaterThanOrEqual(old!.maxFeePerGas! * 9n)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is replaced if the node keeps it without mining it, and those behind it follow', async () => {
    const { newAccount } = await world.open({ payers: 1, rpcUrl: proxy.url, replaceAfterMs: 0 })
    const [kept, behind] = [newHash(), newHash()]
    await newAccount(newHash())
    await world.standStill()
    const address = world.addresses[1]!
    const nonce = await world.chain.provider.getTransactionCount(address)
    let sends = 0
    // As if the predecessor was mined while the transaction arrived: anvil then queues the transaction forever.
    proxy.use(async (calls, forward) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction') || sends++ > 0)
        return forward(calls)
      await world.send('anvil_setNonce', [address, toQuantity(nonce - 1)])
      const answers = await forward(calls)
      await world.send('anvil_setNonce', [address, toQuantity(nonce)])
      return answers
    })
    const writes = [newAccount(kept, 'kept')]
    expect((await sent('kept')).nonce).toBe(nonce)
    writes.push(newAccount(behind, 'behind the kept one'))
    await sent('behind the kept one')
    await expect.poll(() => sends, { timeout: 20_000 }).toBeGreaterThan(3)
    expect(await world.send('txpool_status', [])).toEqual({ pending: '0x0', queued: '0x2' })
    // Not replaced while the chain halts.
    expect((await row('kept'))!.transactions).toHaveLength(1)
    await world.mineUntil(Promise.all(writes), 300)
    expect(await row('kept')).toMatchObject({ nonce, transactions: { length: 2 } })
    expect((await row('behind the kept one'))!.transactions).toHaveLength(1)
    expect(await world.accounts(kept)).toBe(1)
    expect(await world.accounts(behind)).toBe(1)
  })

  it('gets another nonce once a foreign transaction with its nonce is final', async () => {
    const { newAccount, addGroup } = await world.open({ payers: 1 })
    const hash = newHash()
    await newAccount(hash)
    await world.standStill()
    const write = addGroup(hash, 'taken', 'taken')
    const before = await sent('taken')
    await world.send('anvil_dropTransaction', [before.hash])
    await useNonce(before.nonce)
    await world.mineUntil(write, 300)
    expect((await row('taken'))!.nonce).toBeGreaterThan(before.nonce)
    expect(await world.groups('taken')).toBe(1)
  })

  it('double effect: keeps its nonce while a foreign transaction with that nonce can be undone', async () => {
    const { newAccount, addGroup } = await world.open({ payers: 1, finality: 5 })
    const hash = newHash()
    await newAccount(hash)
    await world.standStill()
    const write = addGroup(hash, 'undone', 'undone')
    const before = await sent('undone')
    await world.send('anvil_dropTransaction', [before.hash])
    await useNonce(before.nonce)
    await world.mine()
    // Time for several polls.
    await sleep(3_500)
    expect(await row('undone')).toMatchObject({ nonce: before.nonce, state: 'sent' })
    await world.send('anvil_reorg', [1, []])
    expect((await world.mineUntil(write, 300)).hash).toBe(before.hash)
    await world.mine(8)
    expect(await world.groups('undone')).toBe(1)
  })

  it('is mined again if a reorg removes its block after the response', async () => {
    const { newAccount } = await world.open({ payers: 1 })
    const hash = newHash()
    await world.standStill()
    const write = newAccount(hash, 'reorganised')
    await sent('reorganised')
    await world.mineUntil(write)
    await world.send('anvil_reorg', [1, []])
    expect(await world.accounts(hash)).toBe(0)
    await world.goOn()
    await expect.poll(() => world.accounts(hash), { timeout: 10_000 }).toBe(1)
    await expect
      .poll(async () => (await row('reorganised'))!.state, { timeout: 10_000 })
      .toBe('final')
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is confirmed by its new block if a reorg removes the first one during the write', async () => {
    let reorganised = false
    const beforeSync = async () => {
      if (reorganised) return
      reorganised = true
      await world.send('anvil_reorg', [1, []])
    }
    // The mirror must not poll: it could have the block before the reorganization removes it.
    const pollMs = 600_000
    const { newAccount, mirror } = await world.open({ payers: 1, beforeSync, pollMs })
    const hash = newHash()
    await world.standStill()
    const write = newAccount(hash, 'under')
    await sent('under')
    const receipt = await world.mineUntil(write, 200)
    expect(reorganised).toBe(true)
    const block = await world.chain.provider.getBlock(receipt.blockNumber)
    expect(block?.hash).toBe(receipt.blockHash)
    expect(mirror.current().account(hash)).toBeDefined()
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is sent again before the next write if blocks that counted as final are lost', async () => {
    const { newAccount } = await world.open({ payers: 1 })
    const [lost, next] = [newHash(), newHash()]
    const snapshot = await world.send('evm_snapshot', [])
    await newAccount(lost, 'lost')
    await world.mine(3)
    await expect.poll(async () => (await row('lost'))!.state, { timeout: 5_000 }).toBe('final')
    await world.send('evm_revert', [snapshot])
    await world.mine(4)
    const write = newAccount(next, 'next')
    await write
    await expect.poll(() => world.accounts(lost), { timeout: 15_000 }).toBe(1)
    expect(await world.accounts(next)).toBe(1)
  })
})

describe('a write to a faulty chain', () => {
  it('fails with 503 and leaves no row if the chain is down', async () => {
    const { newAccount } = await world.open({ rpcUrl: proxy.url })
    proxy.use(down)
    await expect(newAccount(newHash(), 'down')).rejects.toBeInstanceOf(ContractUnavailableError)
    expect(await row('down')).toBeUndefined()
  })

  it('standstill: fails together with all other waiting writes if the chain hangs', async () => {
    const { newAccount } = await world.open({ rpcUrl: proxy.url })
    proxy.use(() => 'hang')
    const began = performance.now()
    const writes = Array.from({ length: 12 }, () => newAccount(newHash()))
    for (const write of await Promise.allSettled(writes))
      expect(write).toMatchObject({
        status: 'rejected',
        reason: expect.any(ContractUnavailableError),
      })
    // One or two time-outs of 5 s. One after the other, twelve would take a minute.
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('has one effect if the response to its transaction is lost', async () => {
    const { newAccount } = await world.open({ rpcUrl: proxy.url })
    const hash = newHash()
    proxy.use(losing('eth_sendRawTransaction'))
    await newAccount(hash)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('fails with 503 if no block is mined for too long, and a repeat joins it', async () => {
    const { newAccount } = await world.open({ waitMs: 1_500 })
    const hash = newHash()
    await world.standStill()
    const failed = await newAccount(hash, 'late').catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ContractUnavailableError)
    expect(String(failed)).toContain('may still succeed')
    const repeat = newAccount(hash, 'late')
    await world.mineUntil(repeat)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('succeeds if the chain is slow', async () => {
    const { newAccount } = await world.open({ rpcUrl: proxy.url })
    proxy.use(slow(300))
    const hash = newHash()
    await newAccount(hash)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is not denied after its confirmation if nodes behind a load balancer lag', async () => {
    const { newAccount, addGroup } = await world.open({ rpcUrl: proxy.url })
    proxy.use(everySecond(lagging(await world.chain.provider.getBlockNumber())))
    for (let n = 0; n < 4; n++) {
      const hash = newHash()
      const account = await newAccount(hash)
      expect(account.status).toBe(1)
      await addGroup(hash, `lagging ${n}`)
      expect(await world.groups(`lagging ${n}`)).toBe(1)
    }
  })
})

describe('whether a failed write was recorded', () => {
  it('is false if the chain was down before anything was sent, or the contract rejected the write', async () => {
    const { newAccount, addGroup, writer } = await world.open({ rpcUrl: proxy.url })
    await expect(addGroup(newHash(), 'g', 'nobody’s')).rejects.toBeInstanceOf(ContractRevertError)
    expect(await writer.mayBeRecorded('nobody’s')).toBe(false)
    proxy.use(down)
    await expect(newAccount(newHash(), 'unsent')).rejects.toBeInstanceOf(ContractUnavailableError)
    expect(await writer.mayBeRecorded('unsent')).toBe(false)
  })

  it('is true if the write may still happen', async () => {
    const { newAccount, writer } = await world.open({ waitMs: 1_500 })
    await world.standStill()
    const written = newAccount(newHash(), 'may happen')
    await expect(written).rejects.toBeInstanceOf(ContractUnavailableError)
    expect(await writer.mayBeRecorded('may happen')).toBe(true)
    await world.mine()
  })

  it('is true if the database cannot be queried', async () => {
    const own = await openFresh()
    const { writer, close } = await world.open()
    const blind = await world.open({ db: own.db })
    await blind.close()
    await own.close()
    expect(await blind.writer.mayBeRecorded('whatever')).toBe(true)
    expect(await writer.mayBeRecorded('whatever')).toBe(false)
    await close()
  })
})

describe('a payer', () => {
  it('is topped up by the admin payer if it was drained', async () => {
    const { newAccount } = await world.open({ payers: 2 })
    await newAccount(newHash())
    for (const address of world.addresses.slice(1, 3))
      await world.send('anvil_setBalance', [address, '0x1'])
    await world.closeWriters()
    const again = await world.open({ payers: 2 })
    const hash = newHash()
    await again.newAccount(hash)
    expect(await world.accounts(hash)).toBe(1)
    const balance = await world.chain.provider.getBalance(world.addresses[1]!)
    expect(balance).toBeGreaterThan(parseEther('0.1'))
  })

  it('causes a 503 if it cannot be topped up, and the admin payer’s shortage is logged once', async () => {
    for (const address of world.addresses) await world.send('anvil_setBalance', [address, '0x1'])
    const { newAccount, logs } = await world.open()
    await expect(newAccount(newHash())).rejects.toThrow('gas')
    const low = logs.filter(({ event }) => event === 'payer.low')
    expect(low).toMatchObject([{ facts: { payer: 0, address: world.addresses[0] } }])
    await world.send('anvil_setBalance', [world.addresses[0], '0x21e19e0c9bab2400000'])
  })
})
