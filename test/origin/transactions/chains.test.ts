/** The chains of the `CHAINS` setting, over nodes that fail, lie or serve another chain. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { apiErrorFrom } from '../../../origin/http/failure.ts'
import { ConfiguredChains } from '../../../origin/transactions/chains.ts'
import { UnknownChainError } from '../../../origin/transactions/unknown-chain-error.ts'
import { chainsSetting } from '../../../shared/config/chain-settings.ts'
import {
  down,
  type JsonRpcProxy,
  lying,
  slow,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { type Chain, startChain } from '../chain.ts'

let anvil: Chain
let nodes: JsonRpcProxy[]
beforeAll(async () => {
  anvil = await startChain()
  nodes = await Promise.all([1, 2, 3].map(() => startJsonRpcProxy(anvil.rpcUrl)))
})
afterAll(async () => {
  for (const node of nodes) await node.close()
  await anvil.close()
})

const opened: ConfiguredChains[] = []
afterEach(() => {
  for (const chains of opened.splice(0)) chains.close()
  for (const node of nodes) node.use(undefined)
})

function open(setting: Record<string, { chain_id: number; rpc: string[] }>) {
  const logged: { event: string; facts: object }[] = []
  const chains = new ConfiguredChains(chainsSetting.parse(JSON.stringify(setting)), {
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    random: Math.random,
    log: (event, facts = {}) => void logged.push({ event, facts }),
  })
  opened.push(chains)
  return { chains, logged }
}

const urls = (count: number) => nodes.slice(0, count).map(({ url }) => url)
const local = (count: number) => ({ ethereum: { chain_id: 31_337, rpc: urls(count) } })
const otherChain = lying(({ method }) => (method === 'eth_chainId' ? '0x1' : undefined))

it('finds a chain by its name and by its ID', () => {
  const base = { chain_id: 8453, rpc: ['http://127.0.0.1:1'] }
  const { chains } = open({ ...local(1), base })
  expect(chains.all().map(({ name, chainId }) => [name, chainId])).toEqual([
    ['ethereum', 31_337],
    ['base', 8453],
  ])
  expect(chains.require('base')).toBe(chains.require('8453'))
  expect(chains.byId(31_337)).toBe(chains.require('ethereum'))
  expect(chains.byId(1)).toBeUndefined()
})

it('rejects an unknown chain with 400, and lists the known ones', () => {
  const { chains } = open(local(1))
  for (const unknown of ['base', '31337.0', '0x7a69', ' ethereum', 'constructor', '']) {
    const failure = apiErrorFrom(errorOf(() => chains.require(unknown)))
    expect(failure).toMatchObject({ status: 400, error: 'bad_request', reason: 'unknown_chain' })
    expect(failure.message).toBe(
      `chain: unknown chain ${JSON.stringify(unknown)}; known chains: ethereum (31337).`,
    )
  }
})

it('names the setting if no chain is configured', () => {
  const { chains } = open({})
  const error = errorOf(() => chains.require('base'))
  expect(error).toBeInstanceOf(UnknownChainError)
  expect(apiErrorFrom(error)).toMatchObject({
    status: 400,
    message: expect.stringContaining('has no chains for transactions'),
    fix: expect.stringContaining('CHAINS'),
  })
})

it('sends no requests before a chain is used, so that a chain that is down stops no start', async () => {
  const before = nodes[0]!.seen().requests
  nodes[0]!.use(down)
  const { chains } = open(local(1))
  const { provider } = chains.require('ethereum')
  await expect(provider.getBlockNumber()).rejects.toThrow()
  nodes[0]!.use(undefined)
  expect(await provider.getBlockNumber()).toBeGreaterThanOrEqual(0)
  expect(nodes[0]!.seen().requests).toBeGreaterThan(before)
})

it('wrong chain: uses no response of a node that serves another chain, and logs its position', async () => {
  nodes[0]!.use(otherChain)
  const { chains, logged } = open(local(1))
  await expect(chains.require('ethereum').provider.getBlockNumber()).rejects.toThrow()
  expect(logged).toContainEqual({
    event: 'rpc.out',
    facts: expect.objectContaining({ chain: 31_337, endpoint: 0, failure: 'wrong_chain' }),
  })
  expect(JSON.stringify(logged)).not.toContain(nodes[0]!.url)
})

it('lying node: one of three decides nothing', async () => {
  nodes[1]!.use(lying(({ method }) => (method === 'eth_getTransactionCount' ? '0xff' : undefined)))
  const { chains } = open(local(3))
  const { provider, nodes: quorum } = chains.require('ethereum')
  expect(quorum.quorum).toBe(2)
  const address = `0x${'11'.repeat(20)}`
  expect(await provider.getTransactionCount(address)).toBe(0)
})

it.each([
  ['number', '0xffff'],
  ['baseFeePerGas', '0xffffffffffff'],
  ['gasLimit', '0x1'],
  ['parentHash', `0x${'66'.repeat(32)}`],
])('lying node: is not believed about the %s of a block with the right hash', async (name, lie) => {
  nodes[0]!.use(
    lying(({ method }, block) =>
      method === 'eth_getBlockByNumber' ? { ...block, [name]: lie } : undefined,
    ),
  )
  // The node that lies is the first to answer.
  for (const node of nodes.slice(1)) node.use(slow(100))
  const { chains, logged } = open(local(3))
  const { provider } = chains.require('ethereum')
  const block = await provider.send('eth_getBlockByNumber', ['0x0', false])
  expect(block[name]).not.toEqual(lie)
  expect(logged).toContainEqual({
    event: 'rpc.disagrees',
    facts: { chain: 31_337, endpoint: 0, about: 'contents' },
  })
})

it('lying node: is not believed about the transactions of a block', async () => {
  const [from] = (await anvilSend('eth_accounts', [])) as [string]
  await anvilSend('eth_sendTransaction', [{ from, to: from, value: '0x1' }])
  await anvilSend('anvil_mine', ['0x1'])
  const number = await firstWithTransactions()
  nodes[0]!.use(
    lying(({ method }, block) =>
      method === 'eth_getBlockByNumber'
        ? { ...block, transactions: [{ ...block.transactions[0], value: '0xff' }] }
        : undefined,
    ),
  )
  for (const node of nodes.slice(1)) node.use(slow(100))
  const { chains } = open(local(3))
  const { provider } = chains.require('ethereum')
  const { transactions } = await provider.send('eth_getBlockByNumber', [number, true])
  expect(transactions).toMatchObject([{ from, value: '0x1' }])
})

it.each(['0x5208', '0xffffff', 'a lot'])(
  'lying node: does not decide alone how much gas a call needs, such as %s',
  async (lie) => {
    const to = `0x${'ea'.repeat(20)}`
    // Stores a word, so that the call needs more than a transfer.
    await anvilSend('anvil_setCode', [to, '0x600160005500'])
    const honest = await anvilSend('eth_estimateGas', [{ to }])
    nodes[0]!.use(lying(({ method }) => (method === 'eth_estimateGas' ? lie : undefined)))
    for (const node of nodes.slice(1)) node.use(slow(100))
    const { chains } = open(local(3))
    const { provider } = chains.require('ethereum')
    expect(await provider.send('eth_estimateGas', [{ to }])).toBe(honest)
  },
)

it('agrees on a call that fails without revert data', async () => {
  const to = `0x${'fe'.repeat(20)}`
  await anvilSend('anvil_setCode', [to, '0xfe'])
  await anvilSend('anvil_mine', ['0x1'])
  const { chains } = open(local(3))
  const { provider } = chains.require('ethereum')
  const failed = provider.send('eth_call', [{ to }, await anvilSend('eth_blockNumber', [])])
  await expect(failed).rejects.toMatchObject({
    info: { error: { message: expect.stringMatching(/opcode/i) } },
  })
})

it('requires both of two nodes', async () => {
  nodes[1]!.use(down)
  const { chains } = open(local(2))
  const { provider } = chains.require('ethereum')
  await expect(provider.getTransactionCount(`0x${'11'.repeat(20)}`)).rejects.toThrow('2 of 2 nodes')
})

it('sends no more requests once it is closed', async () => {
  const { chains } = open(local(1))
  const { provider } = chains.require('ethereum')
  await provider.getBlockNumber()
  chains.close()
  const before = nodes[0]!.seen().requests
  await expect(provider.getBlockNumber()).rejects.toThrow()
  expect(nodes[0]!.seen().requests).toBe(before)
})

async function anvilSend(method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(anvil.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

/** Returns the number of the first block that is not empty. */
async function firstWithTransactions(): Promise<string> {
  for (let number = 0; ; number++) {
    const tag = `0x${number.toString(16)}`
    const block = (await anvilSend('eth_getBlockByNumber', [tag, false])) as {
      transactions: string[]
    }
    if (block.transactions.length > 0) return tag
  }
}

function errorOf(attempt: () => unknown): unknown {
  try {
    attempt()
  } catch (error) {
    return error
  }
  return undefined
}
