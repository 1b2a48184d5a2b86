import { JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let chain: JsonRpcProvider
beforeAll(async () => {
  origin = await startOrigin()
  chain = new JsonRpcProvider(origin.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1 })
  // Waits until a payer has gas, because no write may wait for that while no blocks are made.
  await origin.account()
  await chain.send('evm_setAutomine', [false])
  await chain.send('evm_setIntervalMining', [0])
})
afterAll(async () => {
  chain.destroy()
  await origin.close()
})

/** Number of contract calls that wait for a block, without the payers' own top-ups. */
async function callsThatWait(): Promise<number> {
  const { pending } = await chain.send('txpool_content', [])
  const waiting = Object.values<Record<string, { to: string }>>(pending).flatMap(Object.values)
  const contract = origin.services.chain.contractAddress.toLowerCase()
  return waiting.filter(({ to }) => to?.toLowerCase() === contract).length
}

/** Sends a request, makes exactly one block once its write is pending, and returns the response. */
async function inOneBlock(name: string, request: { key?: string; body: object }) {
  const before = await chain.getBlockNumber()
  const answer = origin.core(name, request)
  await expect.poll(callsThatWait, { timeout: 10_000 }).toBeGreaterThan(0)
  await chain.send('evm_mine', [])
  const { status, body } = await answer
  expect([status, (await chain.getBlockNumber()) - before]).toEqual([200, 1])
  return body
}

describe('one block without further confirmations', () => {
  it('is enough for each of an account, a wallet, a group and a key', async () => {
    const account = { account_name: 'one block', account_description: '' }
    const key: string = (await inOneBlock('new_account', { body: account })).api_key
    const { pkp_id } = await inOneBlock('create_wallet', { key, body: {} })
    const group = { name: 'group', pkp_ids_permitted: [pkp_id], cid_hashes_permitted: [0] }
    const { group_id } = await inOneBlock('add_group', { key, body: group })
    const usage = { name: 'usage', execute_in_groups: [group_id] }
    const { usage_api_key } = await inOneBlock('add_usage_api_key', { key, body: usage })
    const code = 'async function main() { return 1 }'
    expect((await origin.run(usage_api_key, code)).body.response).toBe(1)
  })
})
