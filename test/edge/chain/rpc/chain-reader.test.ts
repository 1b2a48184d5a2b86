import { describe, expect, it } from 'vitest'
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import { ChainAway, NodeLags, RangeRefused } from '../../../../edge/chain/rpc/rpc-failures.ts'
import { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../../doubles/chain-node/fetch-of.ts'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'

const TOKEN = `0x${'a1'.repeat(20)}`
const OTHER = `0x${'b2'.repeat(20)}`
const TRANSFER = `0x${'dd'.repeat(32)}`
const query = { addresses: [TOKEN], topics: [[TRANSFER]] }
const log = (data = '0x01', address = TOKEN) => ({ address, topics: [TRANSFER], data })

/** A chain of 20 blocks whose blocks 5 and 15 have logs, and nodes of it. */
function setUp({ nodes: count = 2 } = {}) {
  const chain = new ScriptedChain()
  for (let number = 1; number <= 20; number++)
    chain.mine(number % 10 === 5 ? [log(), log('0x02', OTHER), log('0x03')] : [])
  const nodes = Array.from({ length: count }, () => new ChainNode(chain, () => 0))
  const clock = { now: 1_800_000_000_000 }
  const lines: string[] = []
  const hosts = nodes.map((node, n) => [`https://node-${n}.example/`, node] as const)
  const reader = new HttpChainReader({
    endpoints: hosts.map(([url]) => `${url}v3/secret-key`),
    chainId: 1,
    fetch: fetchOf(Object.fromEntries(hosts)),
    now: () => clock.now,
    sleep: (_, ended) => new Promise((done) => ended.addEventListener('abort', () => done())),
    random: () => 0,
    log: (event, facts) => lines.push(JSON.stringify({ event, ...facts })),
  })
  return { chain, nodes, node: nodes[0]!, second: nodes[1]!, clock, lines, reader }
}

describe('the reader of a chain', () => {
  it('reads the head and what is final', async () => {
    const { reader, chain } = setUp()
    const tip = await reader.tip(['safe', 'finalized'])
    expect(tip.latest).toMatchObject({ number: 20, hash: chain.head.hash })
    expect(tip.safe?.number).toBe(chain.safe)
    expect(tip.finalized?.number).toBe(chain.finalized)
  })

  it('reads headers, each the child of the one before', async () => {
    const { reader, chain } = setUp()
    const headers = await reader.headers(3, 9)
    expect(headers.map(({ hash }) => hash)).toEqual(chain.slice(3, 9).map(({ hash }) => hash))
  })

  it('reads the logs of a stretch, with their times and ordinals', async () => {
    const { reader, chain } = setUp()
    const logs = await reader.logs(query, 1, 20, 'live')
    expect(logs.map(({ blockNumber, data }) => [blockNumber, data])).toEqual([
      [5, '0x01'],
      [5, '0x03'],
      [15, '0x01'],
      [15, '0x03'],
    ])
    expect(logs[0]).toMatchObject({ ordinal: 0, blockTimestamp: chain.at(5)!.timestamp })
  })

  it('asks the headers for the times that a node does not tell', async () => {
    const { reader, chain, node } = setUp()
    node.tellsBlockTime = false
    const logs = await reader.logs(query, 1, 20, 'live')
    expect(logs.map((one) => one.blockTimestamp)).toEqual(
      [5, 5, 15, 15].map((number) => chain.at(number)!.timestamp),
    )
  })

  it('reads the logs of a block by its hash', async () => {
    const { reader, chain } = setUp()
    expect(await reader.logsOfBlock(query, chain.at(5)!)).toHaveLength(2)
  })

  it('says that a node lags that does not have the last block', async () => {
    const { reader, node, second } = setUp()
    node.views = second.views = [{ lag: 3 }]
    await expect(reader.logs(query, 1, 20, 'live')).rejects.toThrow(NodeLags)
    expect(reader.health().map(({ state }) => state)).toEqual(['healthy', 'healthy'])
  })

  it('hands on the range that a provider takes', async () => {
    const { reader, node } = setUp()
    node.limits = { blocks: 10, words: 'alchemy' }
    const refused = await reader.logs(query, 1, 20, 'backfill').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RangeRefused)
    expect(refused).toMatchObject({ blocks: 10 })
  })

  it('asks another endpoint where the first fails', async () => {
    const { reader, node, second } = setUp()
    node.faults = { badGateway: 1 }
    await reader.tip([])
    expect(second.requests).toBe(1)
    expect(reader.health()[0]).toMatchObject({ state: 'failing', lastFailure: 'http_502' })
  })

  it('is away where all fail, with their classes', async () => {
    const { reader, node, second } = setUp()
    node.faults = { badGateway: 1 }
    second.faults = { rateLimited: 1 }
    const away = await reader.tip([]).catch((error: unknown) => error)
    expect(away).toBeInstanceOf(ChainAway)
    expect(away).toMatchObject({ failures: ['http_502', 'rate_limited'] })
  })
})
