import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { accountEmails } from '../../../origin/db/schema.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

describe('new_account', () => {
  it('returns a key of 44 base64 characters and the account’s wallet', async () => {
    const body = { account_name: 'Ada', account_description: '', email: 'ada@example.com' }
    const answer = await origin.core('new_account', { body })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      api_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      wallet_address: expect.stringMatching(ADDRESS),
    })
  })

  it('returns a key that works in the very next request', async () => {
    const key = await origin.account()
    expect((await origin.core('account_exists', { key })).body).toBe(true)
    expect((await origin.core('create_wallet', { key, method: 'POST' })).status).toBe(200)
  })

  it('stores the email address, which get_account shows to the owner', async () => {
    const email = 'ada@example.com'
    const body = { account_name: 'Ada', account_description: 'first', email }
    const { api_key: key, wallet_address } = (await origin.core('new_account', { body })).body
    const usage = await origin.usageKey(key, EVERY_RIGHT)
    expect((await origin.core('get_account', { key })).body).toEqual({
      account_name: 'Ada',
      account_description: 'first',
      email,
      wallet_address,
      api_key_hash: origin.hashOf(key),
      managed: true,
    })
    expect((await origin.core('get_account', { key: usage })).status).toBe(403)
    expect((await origin.core('get_account', { key: await origin.account() })).body.email).toBe(
      null,
    )
  })

  it('leaked database or log: neither contains the email address in the clear', async () => {
    const email = 'canary-5b1c@example.com'
    const body = { account_name: 'a', account_description: '', email }
    const { api_key: key } = (await origin.core('new_account', { body })).body
    const rows = await origin.database.db.select().from(accountEmails)
    const row = rows.find(({ accountHash }) => accountHash === origin.hashOf(key))!
    expect(Buffer.from(row.email).toString('latin1')).not.toContain('canary')
    expect(JSON.stringify(origin.logs)).not.toContain('canary')
    // The ciphertext cannot be decrypted in another account's row.
    const other = await origin.account()
    const moved = { accountHash: origin.hashOf(other), email: row.email }
    await origin.database.db.insert(accountEmails).values(moved)
    expect((await origin.core('get_account', { key: other })).status).toBe(500)
  })

  it('stores no email address if the account is rejected', async () => {
    const rows = async () => (await origin.database.db.select().from(accountEmails)).length
    const before = await rows()
    const app = origin.appThatCannotWrite(new ContractRevertError('InvalidRequest', ['no']))
    const body = { account_name: 'a', account_description: '', email: 'ada@example.com' }
    expect((await origin.core('new_account', { body, app })).status).toBe(400)
    expect(await rows()).toBe(before)
  })

  it('never sends the email address to the chain', async () => {
    const email = 'canary-7f3a@example.com'
    const body = { account_name: 'private', account_description: '', email }
    await origin.core('new_account', { body })
    const { provider, contractAddress } = origin.services.chain
    const logs = await provider.getLogs({ address: contractAddress, fromBlock: 0 })
    const blocks = logs.map(({ transactionHash }) => provider.getTransaction(transactionHash))
    const sent = (await Promise.all(blocks)).map((transaction) => transaction?.data).join()
    expect(sent).not.toContain(Buffer.from(email).toString('hex'))
    expect(sent).toContain(Buffer.from('private').toString('hex'))
  })

  it('ignores unknown fields', async () => {
    const body = { account_name: 'a', account_description: '', plan: 'gold' }
    expect((await origin.core('new_account', { body })).status).toBe(200)
  })
})

describe('account_exists', () => {
  it('returns false for an unknown key, which gets 401 everywhere else', async () => {
    const answer = await origin.core('account_exists', { key: 'bm9ib2R5' })
    expect([answer.status, answer.body]).toEqual([200, false])
  })

  it('returns true for a usage key', async () => {
    const usage = await origin.usageKey(await origin.account(), {})
    expect((await origin.core('account_exists', { key: usage })).body).toBe(true)
  })

  it('returns 401 without a key', async () => {
    expect((await origin.core('account_exists', {})).status).toBe(401)
  })
})

describe('create_wallet', () => {
  it('returns an address, and the same padded to 32 bytes as pkp_id, without a body', async () => {
    const key = await origin.account()
    const { status, body } = await origin.core('create_wallet', { key, method: 'POST' })
    expect(status).toBe(200)
    expect(body.wallet_address).toMatch(ADDRESS)
    expect(body.pkp_id).toBe(`0x${'0'.repeat(24)}${body.wallet_address.slice(2).toLowerCase()}`)
  })

  it('accepts a name and a description', async () => {
    const key = await origin.account()
    const body = { name: 'till', description: 'pays' }
    expect((await origin.core('create_wallet', { key, body })).status).toBe(200)
  })

  it('returns another wallet each time', async () => {
    const key = await origin.account()
    const [first, second] = [await origin.wallet(key), await origin.wallet(key)]
    expect(first.wallet_address).not.toBe(second.wallet_address)
  })

  it('requires can_create_pkps of a usage key', async () => {
    const key = await origin.account()
    const may = await origin.usageKey(key, { can_create_pkps: true })
    const mayNot = await origin.usageKey(key, { can_create_groups: true })
    const status = async (used: string) =>
      (await origin.core('create_wallet', { key: used, method: 'POST' })).status
    expect([await status(may), await status(mayNot)]).toEqual([200, 403])
  })
})

describe('add_group', () => {
  it('counts IDs from 1 in each account', async () => {
    const [first, second] = [await origin.account(), await origin.account()]
    expect(await origin.group(first, {})).toBe(1)
    expect(await origin.group(first, {})).toBe(2)
    expect(await origin.group(second, {})).toBe(1)
  })

  it('accepts the name as group_name or as name', async () => {
    const key = await origin.account()
    for (const body of [
      { group_name: 'a', group_description: 'b' },
      { name: 'a', description: 'b' },
    ])
      expect((await origin.core('add_group', { key, body })).body.success).toBe(true)
  })

  it('returns 404 for a wallet that the account does not have', async () => {
    const [key, other] = [await origin.account(), await origin.account()]
    const { pkp_id } = await origin.wallet(other)
    const body = { name: 'a', pkp_ids_permitted: [pkp_id] }
    const answer = await origin.core('add_group', { key, body })
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([
      404,
      'wallet_does_not_exist',
    ])
    expect(answer.body).toContain(pkp_id)
  })

  it('does not let a usage key create a group wider than its own permissions', async () => {
    const key = await origin.account()
    const { pkp_id } = await origin.wallet(key)
    const plain = await origin.usageKey(key, { can_create_groups: true })
    const wide = await origin.usageKey(key, {
      can_create_groups: true,
      add_pkp_to_groups: [0],
      manage_ipfs_ids_in_groups: [0],
    })
    const status = async (used: string, permits: object) =>
      (await origin.core('add_group', { key: used, body: { name: 'g', ...permits } })).status
    expect(await status(plain, {})).toBe(200)
    expect(await status(plain, { pkp_ids_permitted: [pkp_id] })).toBe(403)
    expect(await status(plain, { cid_hashes_permitted: [0] })).toBe(403)
    expect(await status(wide, { pkp_ids_permitted: [pkp_id], cid_hashes_permitted: [0] })).toBe(200)
    expect(await status(await origin.usageKey(key, {}), {})).toBe(403)
  })
})

describe('add_usage_api_key', () => {
  it('shows the key once, with its hash', async () => {
    const key = await origin.account()
    const { status, body } = await origin.core('add_usage_api_key', { key, body: { name: 'ci' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      usage_api_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      usage_api_key_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })

  it('rejects a usage key: a key cannot issue keys', async () => {
    const usage = await origin.usageKey(await origin.account(), { execute_in_groups: [0] })
    const answer = await origin.core('add_usage_api_key', { key: usage, body: { name: 'more' } })
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
  })

  it('accepts group IDs as integers and as decimal strings', async () => {
    const key = await origin.account()
    await origin.group(key, {})
    const body = { name: 'a', execute_in_groups: [1, '1', '0'] }
    expect((await origin.core('add_usage_api_key', { key, body })).status).toBe(200)
  })

  it('returns 404 for a group that the account does not have', async () => {
    const body = { name: 'a', execute_in_groups: [7] }
    const key = await origin.account()
    expect((await origin.core('add_usage_api_key', { key, body })).status).toBe(404)
  })
})

describe('get_node_chain_config', () => {
  it('returns the same at both paths, without the address of the RPC', async () => {
    const [root, core] = await Promise.all([
      origin.call('/get_node_chain_config'),
      origin.call('/core/v1/get_node_chain_config'),
    ])
    expect(root.body).toEqual({
      chain_name: 'local',
      chain_id: 31_337,
      contract_address: origin.services.chain.contractAddress,
      is_evm: true,
      testnet: true,
      token: 'ETH',
    })
    expect(core.body).toEqual(root.body)
    expect(JSON.stringify(root.body)).not.toContain(new URL(origin.rpcUrl).port)
  })
})
