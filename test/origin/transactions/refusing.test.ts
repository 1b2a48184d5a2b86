/** Transactions that are rejected before they are signed, or that wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Interface } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { transactionDefaults } from '../../../origin/db/schema.ts'
import {
  type JsonRpcProxy,
  type RpcAnswer,
  type Rule,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { accountHash, CHAIN_ID, type Engine, newWallet, startEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.close())
afterEach(async () => {
  engine.signer.before = () => undefined
  await engine.closeProcesses()
  await engine.goOn()
})

/** Creates a contract with this code, and returns its address. */
async function contractOf(code: string): Promise<string> {
  const { address } = newWallet()
  await engine.send('anvil_setCode', [address, code])
  return address
}

/** Code that reverts with the given data, if the storage slot 0 is zero. */
const revertsWith = (data: string) => {
  const bytes = data.slice(2)
  const push = (value: number) => `60${value.toString(16).padStart(2, '0')}`
  const copy = `${push(bytes.length / 2)}${push(0x11)}5f39`
  // SLOAD(0) JUMPI to the end, CODECOPY, REVERT
  const head = `5f54${push(0x0f)}57${copy}${push(bytes.length / 2)}5ffd5b00`
  return `0x${head}${bytes}`
}

const start = () => Promise.all([engine.open(), engine.wallet()])

describe('before it is signed, and without using a nonce, a transaction fails', () => {
  it('if it would revert, with the decoded reason', async () => {
    const [process, wallet] = await start()
    const abi = new Interface(['error Paused(uint256 until)'])
    const to = await contractOf(revertsWith(abi.encodeErrorResult('Paused', [9])))
    const { id } = await process.send(wallet, {
      to,
      value: 0n,
      errors: ['error Paused(uint256 until)'],
    })
    const failed = await process.waitFor(id, 'final')
    expect(failed).toMatchObject({
      state: 'failed',
      failure: { code: 'would_revert', message: 'Paused(until: 9)' },
      nonce: null,
      attempts: [],
    })
    expect(await engine.nonceOf(wallet)).toBe(0)
    const { id: next } = await process.send(wallet)
    expect(await process.waitFor(next, 'mined')).toMatchObject({ nonce: 0 })
  })

  it('if the wallet cannot pay for it', async () => {
    const [process, wallet] = await start()
    const { id } = await process.send(wallet, { value: 10n ** 21n })
    const { state, failure } = await process.waitFor(id, 'final')
    expect(state).toBe('failed')
    expect(failure?.code).toBe('insufficient_funds')
    expect(failure?.message).toMatch(/^the wallet has 100\.0 and needs 1000\.0/)
  })

  it('if its gas limit is higher than that of a block', async () => {
    const [process, wallet] = await start()
    const { id } = await process.send(wallet, { gasLimit: 10n ** 12n })
    const { failure } = await process.waitFor(id, 'final')
    expect(failure?.code).toBe('gas_limit_too_high')
  })

  it('if the signer refuses, and the ones behind it take its nonce', async () => {
    const [process, wallet] = await start()
    const refused = { code: 'policy_denied', message: 'Denied: too much.' } as const
    engine.signer.before = ({ value }) => (value === 13n ? { refused } : undefined)
    const sent = await Promise.all(
      [1n, 13n, 2n].map((value) => process.send(wallet, { value, to: newWallet().address })),
    )
    const records = await Promise.all(sent.map(({ id }) => process.waitFor(id, 'mined')))
    expect(records.map(({ state }) => state === 'failed')).toEqual([false, true, false])
    expect(records[1]).toMatchObject({ failure: refused, nonce: null })
    expect(await engine.nonceOf(wallet)).toBe(2)
  })
})

describe('over several nodes, a simulation that fails', () => {
  const REVERT = { error: { code: 3, message: 'execution reverted', data: '0x' } }
  const claimsRevert: Rule = async (calls, forward) =>
    (await forward(calls)).map((answer, n) =>
      calls[n]!.method === 'eth_estimateGas' ? REVERT : answer,
    )
  let nodes: JsonRpcProxy[]
  beforeEach(async () => {
    nodes = await Promise.all([1, 2, 3].map(() => startJsonRpcProxy(engine.chain.rpcUrl)))
  })
  afterEach(async () => {
    await engine.closeProcesses()
    await Promise.all(nodes.map((node) => node.close()))
  })
  const open = (count: number) =>
    engine.open({ rpcUrls: nodes.slice(0, count).map(({ url }) => url) })

  it('lying node: cannot have a transaction refused alone', async () => {
    nodes[0]!.use(claimsRevert)
    const [process, wallet] = await Promise.all([open(3), engine.wallet()])
    const { id } = await process.send(wallet)
    expect(await process.waitFor(id, 'mined')).toMatchObject({ state: 'mined', nonce: 0 })
    expect(nodes[0]!.seen().methods).toContain('eth_estimateGas')
  })

  it('on a quorum of them is a revert', async () => {
    for (const node of nodes.slice(1))
      node.use((calls, forward) =>
        calls.some(({ method }) => method === 'eth_estimateGas') ? 'cut' : forward(calls),
      )
    const [process, wallet] = await Promise.all([open(3), engine.wallet()])
    const reason = new Interface(['error Error(string)']).encodeErrorResult('Error', ['closed'])
    const { id } = await process.send(wallet, {
      to: await contractOf(revertsWith(reason)),
      value: 0n,
    })
    await process.until(id, ({ waiting_for }) => waiting_for === 'chain')
    nodes[1]!.use(undefined)
    const { failure } = await process.waitFor(id, 'final')
    expect(failure).toEqual({ code: 'would_revert', message: 'closed' })
  })

  it('waits while the node does not have the block of the head, however often', async () => {
    nodes[0]!.use(async (calls, forward) =>
      ((await claimsRevert(calls, forward)) as RpcAnswer[]).map((answer, n) =>
        calls[n]!.method === 'eth_call'
          ? { error: { code: -32_000, message: 'header not found' } }
          : answer,
      ),
    )
    const [process, wallet] = await Promise.all([open(1), engine.wallet()])
    const { id } = await process.send(wallet)
    const asked = () => nodes[0]!.seen().methods.filter((method) => method === 'eth_call').length
    await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(3)
    expect(await process.get(id)).toMatchObject({ state: 'queued', waiting_for: 'chain' })
    nodes[0]!.use(undefined)
    expect(await process.waitFor(id, 'mined')).toMatchObject({ state: 'mined', nonce: 0 })
  })
})

describe('a transaction waits', () => {
  it('for earlier ones that it depends on, and is simulated again', async () => {
    const [process, wallet] = await start()
    await engine.standStill()
    // Sets slot 0 if it has call data; otherwise reverts as long as slot 0 is zero.
    const to = await contractOf('0x36600c575f546012575f5ffd5b60015f55005b00')
    const first = await process.send(wallet, { to, data: '0x01', value: 0n, gasLimit: 100_000n })
    const second = await process.send(wallet, { to, value: 0n })
    await process.until(second.id, ({ state, waiting_for }) =>
      state === 'queued' ? waiting_for === 'order' : true,
    )
    await engine.goOn()
    const mined = await process.waitFor(second.id, 'mined')
    expect(mined).toMatchObject({ state: 'mined', nonce: 1 })
    expect((await process.get(first.id)).nonce).toBe(0)
  })

  it('flood of the nodes: is not simulated again each second while nothing changes', async () => {
    const proxy = await startJsonRpcProxy(engine.chain.rpcUrl)
    let stoppedAt: number | undefined
    const monotonic = () => stoppedAt ?? performance.now()
    const [process, wallet] = await Promise.all([
      engine.open({ rpcUrls: [proxy.url], monotonic }),
      engine.wallet(),
    ])
    await engine.standStill()
    const value = 60n * 10n ** 18n
    const first = await process.send(wallet, { value })
    await process.until(first.id, ({ state }) => state === 'broadcast')
    const second = await process.send(wallet, { value })
    await process.until(second.id, ({ waiting_for }) => waiting_for === 'funds')
    stoppedAt = performance.now()
    const simulations = () =>
      proxy.seen().methods.filter((method) => method === 'eth_estimateGas').length
    const before = simulations()
    // The process checks its wallets each second.
    await sleep(3_500)
    expect(simulations()).toBe(before)
    stoppedAt += 20_000
    await expect.poll(simulations, { timeout: 20_000 }).toBeGreaterThan(before)
    await engine.closeProcesses()
    await proxy.close()
  })

  it('for the funds that earlier ones may use', async () => {
    const [process, wallet] = await start()
    await engine.standStill()
    const value = 60n * 10n ** 18n
    const first = await process.send(wallet, { value })
    const second = await process.send(wallet, { value })
    await process.until(second.id, ({ waiting_for }) => waiting_for === 'funds')
    await engine.goOn()
    const failed = await process.waitFor(second.id, 'final')
    expect(failed).toMatchObject({ state: 'failed', failure: { code: 'insufficient_funds' } })
    expect(await process.waitFor(first.id, 'final')).toMatchObject({ state: 'final' })
  })
})

it('a transaction that reverts in a block fails with the decoded reason, once final', async () => {
  const [process, wallet] = await start()
  await engine.standStill()
  const { address } = newWallet()
  const { id } = await process.send(wallet, { to: address, value: 0n, gasLimit: 100_000n })
  await process.until(id, ({ state }) => state === 'broadcast')
  const reason = new Interface(['error Error(string)']).encodeErrorResult('Error', ['closed'])
  await engine.send('anvil_setCode', [address, revertsWith(reason)])
  await engine.mine()
  const mined = await process.waitFor(id, 'mined')
  expect(mined).toMatchObject({
    state: 'failed',
    failure: { code: 'reverted', message: 'closed' },
    ended_at: null,
  })
  expect(mined.mined).not.toBeNull()
  await engine.mine(2)
  expect((await process.waitFor(id, 'final')).ended_at).not.toBeNull()
})

it('logs once that the balance of a wallet is low', async () => {
  const lowBalance = 10n ** 21n
  await engine.db.insert(transactionDefaults).values({
    accountHash,
    chainId: CHAIN_ID,
    maxFeePerGas: null,
    lowBalance,
    updatedAt: new Date(),
  })
  const [process, wallet] = await start()
  for (let n = 0; n < 2; n++) {
    const { id } = await process.send(wallet)
    await process.waitFor(id, 'mined')
  }
  await engine.db.delete(transactionDefaults)
  const low = process.logs.filter(
    ({ event, facts }) =>
      event === 'transactions.low_balance' && facts['address'] === wallet.address,
  )
  expect(low.map(({ facts }) => facts)).toEqual([
    { chain: 'local', address: wallet.address, ether: '100.0' },
  ])
  expect(process.transactions.status()).toMatchObject([{ chainId: CHAIN_ID, lowBalanceWallets: 1 }])
})
