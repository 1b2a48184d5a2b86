/** Writes over three nodes of a chain, of which one fails, lags or lies: each write takes effect once, or is a 503. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { id, toBeHex, Transaction } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountConfig, ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { NoAgreementError } from '../../../origin/accounts/nodes/chain-nodes.ts'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { chainWrites } from '../../../origin/db/schema.ts'
import {
  down,
  frozen,
  type JsonRpcProxy,
  lagging,
  lying,
  type Rule,
  slow,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { newHash, startWriting, type Writing } from './writing.ts'

let world: Writing
let nodes: JsonRpcProxy[]
beforeAll(async () => {
  world = await startWriting()
  nodes = await Promise.all([1, 2, 3].map(() => startJsonRpcProxy(world.rpcUrl)))
  // The first writer funds the payers.
  await (await world.open()).newAccount(newHash())
  await world.closeWriters()
})
afterEach(async () => {
  for (const node of nodes) node.use(undefined)
  await world.goOn()
  await world.closeWriters()
})
afterAll(async () => {
  await world.close()
  for (const node of nodes) await node.close()
})

const open = (count = 3, options = {}) =>
  world.open({ rpcUrl: nodes.slice(0, count).map(({ url }) => url), payers: 1, ...options })
const row = async (writeId: string) =>
  (await world.db.select().from(chainWrites).where(eq(chainWrites.writeId, writeId)))[0]
const hashesOf = async (writeId: string) =>
  ((await row(writeId))?.transactions ?? []).map((raw) => Transaction.from(raw).hash!)
/** Waits until the chain has the write's transaction. */
const sent = async (writeId: string) => {
  await expect.poll(() => hashesOf(writeId), { timeout: 10_000 }).toHaveLength(1)
  const [hash] = await hashesOf(writeId)
  await expect
    .poll(() => world.send('eth_getTransactionByHash', [hash]), { timeout: 10_000 })
    .not.toBeNull()
  return hash!
}

describe('a write', () => {
  const dies = (fault: Rule): Rule => {
    let isDead = false
    return async (calls, forward) => {
      if (isDead) return fault(calls, forward)
      isDead = calls.some(({ method }) => method === 'eth_sendRawTransaction')
      return forward(calls)
    }
  }
  it.each([
    ['freezes', frozen],
    ['breaks down', down],
  ])('is mined once if its node %s after it has accepted the transaction', async (_, fault) => {
    const { newAccount } = await open()
    nodes[0]!.use(dies(fault))
    const hash = newHash()
    const writeId = id(`dies ${hash}`)
    expect((await newAccount(hash, writeId)).status).toBe(1)
    expect(await world.accounts(hash)).toBe(1)
    expect((await row(writeId))!.transactions).toHaveLength(1)
  })

  it.each<[string, Rule]>([
    ['limits its callers', () => ({ status: 429, body: '' })],
    ['fails internally', () => ({ status: 500, body: '' })],
    ['answers with a page', () => ({ status: 200, body: '<html>Welcome</html>' })],
    ['is frozen', frozen],
    [
      'answers each call with an error',
      (calls) => calls.map(() => ({ error: { code: -32_603, message: 'internal error' } })),
    ],
  ])('succeeds if one node %s', async (_, fault) => {
    const { newAccount, addGroup } = await open()
    nodes[0]!.use(fault)
    const hash = newHash()
    await newAccount(hash)
    const name = `group of ${hash}`
    await addGroup(hash, name)
    expect([await world.accounts(hash), await world.groups(name)]).toEqual([1, 1])
  })

  it('is mined if a node accepts its transaction, but drops it', async () => {
    nodes[0]!.use((calls, forward) =>
      calls.some(({ method }) => method === 'eth_sendRawTransaction')
        ? calls.map(({ params: [raw] }) => ({ result: Transaction.from(raw).hash }))
        : forward(calls),
    )
    const { newAccount } = await open()
    const hash = newHash()
    await newAccount(hash)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is confirmed once two nodes have its block', async () => {
    const { newAccount, mirror } = await open()
    await world.standStill()
    const height = await world.chain.provider.getBlockNumber()
    for (const node of nodes.slice(1)) node.use(lagging(height))
    const hash = newHash()
    const writeId = id(`two nodes ${hash}`)
    const write = newAccount(hash, writeId)
    await sent(writeId)
    await world.mine()
    const early = await Promise.race([write, sleep(1_000, 'waits')])
    expect([early, mirror.block]).toEqual(['waits', height])
    nodes[1]!.use(undefined)
    expect((await write).status).toBe(1)
  })

  it('is a 503 if all nodes are gone, and leaves no row', async () => {
    const { newAccount } = await open()
    for (const node of nodes) node.use(down)
    const writeId = id('all gone')
    await expect(newAccount(newHash(), writeId)).rejects.toBeInstanceOf(ContractUnavailableError)
    expect(await row(writeId)).toBeUndefined()
  })

  it('is still rejected by the contract, with its error', async () => {
    const { newAccount, addGroup } = await open()
    nodes[1]!.use(down)
    const hash = newHash()
    await newAccount(hash)
    await expect(newAccount(hash)).rejects.toMatchObject({ errorName: 'AccountAlreadyExists' })
    await expect(addGroup(newHash(), 'g')).rejects.toBeInstanceOf(ContractRevertError)
  })
})

describe('a lying node', () => {
  it('forged receipt: does not confirm a transaction that is not mined', async () => {
    const { provider } = (await open()).chain
    const block = await world.send('eth_getBlockByNumber', ['latest', false])
    const hash = newHash()
    const forged = (transactionHash: string) => ({
      transactionHash,
      transactionIndex: '0x0',
      blockHash: block.hash,
      blockNumber: block.number,
      from: world.addresses[1],
      to: world.chain.contractAddress,
      contractAddress: null,
      status: '0x1',
      type: '0x2',
      gasUsed: '0x5208',
      cumulativeGasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      logsBloom: `0x${'0'.repeat(512)}`,
      logs: [],
    })
    nodes[0]!.use(
      lying(({ method, params }, result) =>
        method === 'eth_getTransactionReceipt' ? forged(params[0]) : result,
      ),
    )
    await expect(provider.getTransactionReceipt(hash)).rejects.toBeInstanceOf(NoAgreementError)
    nodes[1]!.use(down)
    await expect(provider.getTransactionReceipt(hash)).rejects.toBeInstanceOf(NoAgreementError)
    for (const node of nodes) node.use(undefined)
    expect(await provider.getTransactionReceipt(hash)).toBeNull()
  })

  it('forged receipt: cannot make a write that succeeded look like a failure', async () => {
    const { newAccount, chain } = await open()
    nodes[0]!.use(
      lying(({ method }, result) =>
        method === 'eth_getTransactionReceipt' && result ? { ...result, status: '0x0' } : result,
      ),
    )
    // The lie arrives first.
    for (const node of nodes.slice(1)) node.use(slow(50))
    expect((await newAccount(newHash())).status).toBe(1)
    await expect
      .poll(() => chain.nodes.status()[0]!.disagreements.get('receipt'))
      .toBeGreaterThan(0)
  })

  it('double effect: cannot have a write signed again by claiming that its nonce is used', async () => {
    const { newAccount } = await open()
    await world.standStill()
    nodes[0]!.use(
      lying(({ method }, result) => {
        if (method === 'eth_getTransactionReceipt') return null
        return method === 'eth_getTransactionCount' ? toBeHex(Number(result) + 1) : result
      }),
    )
    const hash = newHash()
    const writeId = id(`claimed nonce ${hash}`)
    const write = newAccount(hash, writeId)
    await sent(writeId)
    // Time for several checks of the nonce, of which two would suffice.
    await sleep(4_000)
    expect(await hashesOf(writeId)).toHaveLength(1)
    await world.mineUntil(write)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('drained payer: cannot raise the fee', async () => {
    const { newAccount } = await open()
    const writeId = id(`fee ${newHash()}`)
    nodes[0]!.use(
      lying(({ method }, result) =>
        method === 'eth_maxPriorityFeePerGas' ? toBeHex(10n ** 15n) : result,
      ),
    )
    await newAccount(newHash(), writeId)
    const [raw] = (await row(writeId))!.transactions
    expect(Transaction.from(raw).maxPriorityFeePerGas).toBeLessThan(10n ** 15n)
  })

  it('cannot have a write refused by claiming that the contract rejects it', async () => {
    nodes[0]!.use(async (calls, forward) => {
      const { data } = { data: accountConfig.encodeErrorResult('AccountAlreadyExists', [1n]) }
      const refusal = { error: { code: 3, message: 'execution reverted', data } }
      const answers = await forward(calls)
      return answers.map((answer, n) =>
        ['eth_estimateGas', 'eth_call'].includes(calls[n]!.method) ? refusal : answer,
      )
    })
    const { newAccount } = await open()
    const hash = newHash()
    await newAccount(hash)
    expect(await world.accounts(hash)).toBe(1)
  })
})
