import { JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let chain: JsonRpcProvider
beforeAll(async () => {
  origin = await startOrigin()
  chain = new JsonRpcProvider(origin.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1 })
  await chain.send('evm_setAutomine', [false])
  await chain.send('evm_setIntervalMining', [0])
})
afterAll(async () => {
  chain.destroy()
  await origin.close()
})

/** The answer to a request while the chain makes one block, once there is something to put into it, and no other. */
async function inOneBlock(name: string, request: { key?: string; body: object }) {
  const before = await chain.getBlockNumber()
  const answer = origin.core(name, request)
  await expect
    .poll(async () => Number((await chain.send('txpool_status', [])).pending), { timeout: 10_000 })
    .toBeGreaterThan(0)
  await chain.send('evm_mine', [])
  const { status, body } = await answer
  expect([status, (await chain.getBlockNumber()) - before]).toEqual([200, 1])
  return body
}

describe('one block, and no confirmation more,', () => {
  it('is what an account, a wallet, a group and a key each take', async () => {
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
