import { randomBytes } from 'node:crypto'
import { getBytes, keccak256, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountConfig } from '../../../origin/accounts/chain.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

const CODE = 'async function main() { return 1 }'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const rotate = async (key: string) => origin.core('rotate_account_api_key', { key, method: 'POST' })
const status = async (name: string, key: string, body?: object) =>
  (await origin.core(name, { key, ...(body ? { body } : {}) })).status

describe('rotate_account_api_key', () => {
  it('returns a new key with its hash', async () => {
    const { status: answered, body } = await rotate(await origin.account())
    expect(answered).toBe(200)
    expect(body).toEqual({
      success: true,
      api_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      api_key_hash: origin.hashOf(body.api_key),
    })
  })

  it('gives the unchanged account to the new key, and nothing to the old one', async () => {
    const old = await origin.account()
    const wallet = await origin.wallet(old)
    const group = await origin.group(old, { cid_hashes_permitted: [0] })
    const usage = await origin.usageKey(old, { execute_in_groups: [group] })
    const { api_key } = (await rotate(old)).body

    expect((await origin.core('list_wallets', { key: api_key })).body).toEqual([
      expect.objectContaining(wallet),
    ])
    expect(await status('create_wallet', api_key, {})).toBe(200)
    expect(await status('add_group', api_key, { name: 'after' })).toBe(200)
    expect(await status('add_usage_api_key', api_key, { name: 'after' })).toBe(200)
    expect((await origin.run(api_key, CODE)).status).toBe(200)
    expect((await origin.run(usage, CODE)).status).toBe(200)

    expect(await status('create_wallet', old, {})).toBe(401)
    expect(await status('list_groups', old)).toBe(401)
    expect((await origin.run(old, CODE)).status).toBe(401)
    expect((await rotate(old)).status).toBe(401)
    expect((await origin.core('account_exists', { key: old })).body).toBe(false)
  })

  it('keeps the private keys of existing wallets', async () => {
    const old = await origin.account()
    const { wallet_address, pkp_id } = await origin.wallet(old)
    const { api_key } = (await rotate(old)).body
    const code = `async function main({ pkpId }) {
      return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address
    }`
    await origin.group(api_key, { pkp_ids_permitted: [pkp_id], cid_hashes_permitted: [0] })
    const made = await origin.wallet(api_key)
    expect((await origin.run(api_key, code, { pkpId: pkp_id })).body.response).toBe(wallet_address)
    expect(made.wallet_address).not.toBe(wallet_address)
  })

  it('can be repeated, each time with the newest key', async () => {
    const first = await origin.account()
    const second = (await rotate(first)).body.api_key
    const third = (await rotate(second)).body.api_key
    expect(await status('list_groups', third)).toBe(200)
    for (const old of [first, second]) expect(await status('list_groups', old)).toBe(401)
  })

  it('accepts one of two at once, and rejects the other as rotated away', async () => {
    const old = await origin.account()
    const answers = await Promise.all([rotate(old), rotate(old)])
    const statuses = answers.map((answer) => answer.status)
    expect(new Set(statuses)).toEqual(new Set([200, 401]))
    const won = answers.find((answer) => answer.status === 200)!
    expect(await status('list_groups', won.body.api_key)).toBe(200)
  })

  it('does not show the key again under the same Idempotency-Key', async () => {
    const old = await origin.account()
    const headers = { 'idempotency-key': 'rotation-1' }
    const first = await origin.core('rotate_account_api_key', { key: old, method: 'POST', headers })
    expect(first.status).toBe(200)
    const again = await origin.core('rotate_account_api_key', { key: old, method: 'POST', headers })
    expect(again.status).toBe(401)
    expect(JSON.stringify(again.body)).not.toContain(first.body.api_key)
  })

  it('attack: a key that was rotated away cannot be registered as a usage key of another account', async () => {
    const old = await origin.account()
    await rotate(old)
    const thief = await origin.account()
    const permissions = ['mine', '', false, false, false, [], [], [], [0]]
    const args = [origin.hashOf(thief), origin.hashOf(old), permissions]
    await expect(origin.services.writer.write('setUsageApiKey', args)).rejects.toThrow()
    expect(await status('list_groups', old)).toBe(401)
  })

  it('accepts a key that the caller generated, so that a lost response does not lose the account', async () => {
    const old = await origin.account()
    const mine = randomBytes(32).toString('base64')
    const body = { new_api_key: mine }
    const answer = await origin.core('rotate_account_api_key', { key: old, body })
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, api_key_hash: origin.hashOf(mine) },
    ])
    expect([await status('list_groups', mine), await status('list_groups', old)]).toEqual([
      200, 401,
    ])
  })

  it('rejects a key that is already in use, and a malformed one', async () => {
    const [key, other] = [await origin.account(), await origin.account()]
    const to = (new_api_key: unknown) => status('rotate_account_api_key', key, { new_api_key })
    expect([await to(other), await to(key)]).toEqual([409, 409])
    expect([await to('short'), await to(`${'é'.repeat(43)}=`), await to(7)]).toEqual([
      400, 400, 422,
    ])
    expect(await status('list_groups', key)).toBe(200)
  })

  it('attack: cannot make the hash of a wallet an alias, to take the place of its owner', async () => {
    const key = await origin.account()
    const wallet = Wallet.createRandom().address
    const hash = keccak256(wallet)
    const text = Buffer.from(getBytes(wallet)).toString('latin1')
    for (const body of [{ new_api_key: hash }, { new_api_key: text }, { new_api_key_hash: hash }])
      await origin.core('rotate_account_api_key', { key, body })
    expect(origin.services.mirror.current().account(hash)).toBeUndefined()
    const masterOf = accountConfig.encodeFunctionData('masterOf', [hash])
    const { provider, contractAddress: to } = origin.services.chain
    expect(BigInt(await provider.call({ to, data: masterOf }))).toBe(0n)
  })

  it('rejects a body that is not an object, and needs none', async () => {
    const key = await origin.account()
    expect((await origin.core('rotate_account_api_key', { key, text: '[' })).status).toBe(400)
    expect((await origin.core('rotate_account_api_key', { key, body: [] })).status).toBe(422)
    expect(await status('rotate_account_api_key', key, { anything: 1 })).toBe(200)
  })
})
