/** The complete origin over three nodes of its chain. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectChain } from '../../../origin/accounts/chain.ts'
import {
  down,
  frozen,
  type JsonRpcProxy,
  lying,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { METRICS_TOKEN, startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let nodes: JsonRpcProxy[]
let key: string
beforeAll(async () => {
  origin = await startOrigin(undefined, async ({ chain, rpcUrl }) => {
    nodes = await Promise.all([1, 2, 3].map(() => startJsonRpcProxy(rpcUrl)))
    return connectChain(
      nodes.map(({ url }) => url),
      { address: chain.contractAddress, block: chain.contractBlock },
    )
  })
  key = await origin.account()
})
afterAll(async () => {
  await origin.close()
  for (const node of nodes) await node.close()
})

const run = async () => (await origin.run(key, 'async function main() { return 1 }')).status
const read = async () => (await origin.core('list_api_keys', { key, body: undefined })).status
const write = async () => (await origin.core('add_group', { key, body: { name: 'g' } })).status
const metrics = async () => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const { body } = await origin.call('/metrics', { headers })
  return (String(body).match(/^svc_chain_node_.*$/gm) ?? []).map((line) => line.split(' '))
}
const metric = async (name: string) =>
  Number((await metrics()).find(([series]) => series === name)?.[1])

// The tests depend on this order, because the clock only moves forward.
it('reads, runs and writes while one node is frozen for a minute', async () => {
  nodes[0]!.use(frozen)
  for (let passed = 0; passed < 60_000; passed += 20_000) {
    origin.clock.aheadMs += 20_000
    expect([await read(), await run()]).toEqual([200, 200])
    await expect.poll(() => origin.services.mirror.ageMs, { timeout: 15_000 }).toBeLessThan(10_000)
  }
  expect(await write()).toBe(200)
  await expect.poll(() => metric('svc_chain_node_up{node="0"}'), { timeout: 20_000 }).toBe(0)
  expect(await metric('svc_chain_node_failures_total{node="0"}')).toBeGreaterThan(0)
  expect(await metric('svc_chain_node_up{node="1"}')).toBe(1)
  expect((await origin.call('/health')).body.reasons).toEqual([])
})

it('uses the node again once it comes back, and shows how far it lags', async () => {
  nodes[0]!.use(undefined)
  await expect.poll(() => metric('svc_chain_node_up{node="0"}'), { timeout: 90_000 }).toBe(1)
  await expect.poll(() => metric('svc_chain_node_lag_blocks{node="0"}')).toBeLessThan(2)
})

it('counts a node that hides events, and writes nevertheless', async () => {
  nodes[2]!.use(lying(({ method }, result) => (method === 'eth_getLogs' ? [] : result)))
  expect(await write()).toBe(200)
  const series = 'svc_chain_node_disagreements_total{node="2",about="contents"}'
  await expect.poll(() => metric(series)).toBeGreaterThan(0)
  expect(await metric('svc_chain_node_disagreements_total{node="1",about="contents"}')).toBe(0)
  nodes[2]!.use(undefined)
})

it('responds with 503 once two nodes are gone for longer than the staleness limit', async () => {
  for (const node of nodes.slice(1)) node.use(down)
  expect([await read(), await run()]).toEqual([200, 200])
  origin.clock.aheadMs += 31_000
  expect([await read(), await run(), await write()]).toEqual([503, 503, 503])
  expect((await origin.call('/health')).body.reasons).toMatchObject([{ code: 'mirror_stale' }])
  nodes[1]!.use(undefined)
  await expect.poll(read, { timeout: 30_000 }).toBe(200)
  expect([await run(), await write()]).toEqual([200, 200])
})
