import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

const CODE = 'async function main() { return 1 }'
const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const ZERO = `0x${'0'.repeat(64)}`
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const SIGN = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address
}`

let origin: TestOrigin
let key: string
let cid: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
  cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
})
afterAll(() => origin.close())

const post = async (name: string, body: object) => {
  const answer = await origin.core(name, { key, body })
  return [answer.status, answer.body]
}
const get = (query: string, used = key) => origin.call(`/core/v1/${query}`, { key: used })
const done = [200, { success: true }]

describe('a group', () => {
  it('is returned with its wallets, its actions and the keys that list it', async () => {
    const wallet = await origin.wallet(key)
    const body = {
      group_name: 'signers',
      group_description: 'who sign',
      pkp_ids_permitted: [wallet.wallet_address],
      cid_hashes_permitted: [id(CID)],
    }
    const group = (await origin.core('add_group', { key, body })).body.group_id
    await post('add_action', { cid: CID, name: 'hello', description: 'says it' })
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    const answer = await get(`get_group?group_id=${group}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: group,
      group_id: group,
      name: 'signers',
      description: 'who sign',
      pkp_ids_permitted: [wallet.pkp_id],
      cid_hashes_permitted: [id(CID)],
      wallets: [expect.objectContaining(wallet)],
      actions: [
        {
          cid_hash: id(CID),
          action_ipfs_cid: CID,
          name: 'hello',
          description: 'says it',
          groups: [group],
        },
      ],
      keys: [expect.objectContaining({ id: origin.hashOf(usage), execute_in_groups: [group] })],
    })
  })

  it('shows the wildcards as 32 zero bytes, however they were sent', async () => {
    for (const [pkp, hash] of [
      [ZERO, 0],
      [ZERO_ADDRESS, '0'],
      [ZERO, '0x0'],
      [ZERO, ZERO],
    ]) {
      const permits = { pkp_ids_permitted: [pkp], cid_hashes_permitted: [hash] }
      const { body } = await get(`get_group?id=${await origin.group(key, permits)}`)
      expect([body.pkp_ids_permitted, body.cid_hashes_permitted]).toEqual([[ZERO], [ZERO]])
    }
  })

  it('that permits every wallet is returned with all wallets of the account', async () => {
    const account = await origin.account()
    const group = await origin.group(account, { pkp_ids_permitted: [ZERO] })
    const wallet = await origin.wallet(account)
    const { body } = await get(`list_wallets_in_group?group_id=${group}`, account)
    expect(body).toEqual([expect.objectContaining(wallet)])
  })

  it('stores an ID once if it is sent twice', async () => {
    const { pkp_id, wallet_address } = await origin.wallet(key)
    const permits = {
      pkp_ids_permitted: [pkp_id, wallet_address, wallet_address.toLowerCase()],
      cid_hashes_permitted: [id(CID), id(CID).toUpperCase().replace('0X', '0x')],
    }
    const { body } = await get(`get_group?group_id=${await origin.group(key, permits)}`)
    expect([body.pkp_ids_permitted, body.cid_hashes_permitted]).toEqual([[pkp_id], [id(CID)]])
  })

  it('of another account is not found', async () => {
    const stranger = await origin.account()
    const group = await origin.group(key, {})
    expect((await get(`get_group?group_id=${group}`, stranger)).status).toBe(404)
  })
})

describe('list_groups', () => {
  it('returns the groups of the account in the order of their IDs, and in pages', async () => {
    const account = await origin.account()
    for (const name of ['a', 'b', 'c']) await origin.group(account, { name })
    const names = async (query: string) => {
      const { body, headers } = await get(`list_groups${query}`, account)
      expect(headers.get('x-total-count')).toBe('3')
      return body.map((group: { name: string }) => group.name)
    }
    expect(await names('')).toEqual(['a', 'b', 'c'])
    expect(await names('?page_number=1&page_size=2')).toEqual(['c'])
    const [first] = (await get('list_groups', account)).body
    expect(first).toEqual({
      id: 1,
      group_id: 1,
      name: 'a',
      description: '',
      pkp_ids_permitted: [],
      cid_hashes_permitted: [],
    })
  })
})

describe('update_group', () => {
  it('changes the given fields, and keeps absent ones', async () => {
    const { pkp_id } = await origin.wallet(key)
    const body = { group_name: 'before', group_description: 'd', pkp_ids_permitted: [pkp_id] }
    const group_id = (await origin.core('add_group', { key, body })).body.group_id
    const state = async () => (await get(`get_group?group_id=${group_id}`)).body
    expect(await post('update_group', { group_id, name: 'after' })).toEqual(done)
    expect(await state()).toMatchObject({
      name: 'after',
      description: 'd',
      pkp_ids_permitted: [pkp_id],
    })
    expect(await post('update_group', { group_id, description: '' })).toEqual(done)
    expect(await state()).toMatchObject({
      name: 'after',
      description: '',
      pkp_ids_permitted: [pkp_id],
    })
    const replaced = { group_id, pkp_ids_permitted: [], cid_hashes_permitted: [0] }
    expect(await post('update_group', replaced)).toEqual(done)
    expect(await state()).toMatchObject({
      name: 'after',
      pkp_ids_permitted: [],
      cid_hashes_permitted: [ZERO],
    })
  })

  it('changes at once what keys may run', async () => {
    const group_id = await origin.group(key, {})
    const usage = await origin.usageKey(key, { execute_in_groups: [group_id] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
    await post('update_group', { group_id, cid_hashes_permitted: [id(cid)] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
    await post('update_group', { group_id, cid_hashes_permitted: [] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
  })

  it('returns 422 if it would change nothing', async () => {
    const answer = await origin.core('update_group', { key, body: { group_id: 1 } })
    expect([answer.status, answer.body.error]).toEqual([422, 'unprocessable_entity'])
  })

  it('returns 404 and names the group if it does not exist', async () => {
    const answer = await origin.core('update_group', { key, body: { group_id: 987, name: 'x' } })
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('no group 987')])
    expect(answer.headers.get('x-svc-error')).toBe('group_does_not_exist')
  })

  it.each(['get_group', 'list_wallets_in_group', 'list_actions'])(
    '%s returns the structured 404 of a read for an unknown group, without asking the contract',
    async (name) => {
      const { status, body, headers } = await origin.call(`/core/v1/${name}?group_id=987`, { key })
      expect(status).toBe(404)
      expect(body).toMatchObject({ error: 'not_found', reason: 'group_does_not_exist' })
      expect(body.message).toContain('987')
      expect(headers.get('x-svc-error')).toBe('group_does_not_exist')
    },
  )

  it('returns the same error whether the chain or the mirror rejects the request', async () => {
    // `remove_group` lets the contract check whether the group exists; `update_group` checks in the mirror.
    const [byChain, byMirror] = await Promise.all([
      origin.core('remove_group', { key, body: { group_id: 987 } }),
      origin.core('update_group', { key, body: { group_id: 987, name: 'x' } }),
    ])
    const told = ({ status, body, headers }: typeof byChain) => [
      status,
      body,
      headers.get('x-svc-error'),
    ]
    expect(told(byChain)).toEqual(told(byMirror))
  })

  it('returns 404 for a wallet of another account, and changes nothing', async () => {
    const { pkp_id } = await origin.wallet(await origin.account())
    const group_id = await origin.group(key, { name: 'kept' })
    const [status] = await post('update_group', {
      group_id,
      name: 'x',
      pkp_ids_permitted: [pkp_id],
    })
    expect(status).toBe(404)
    expect((await get(`get_group?group_id=${group_id}`)).body.name).toBe('kept')
  })
})

describe('remove_group', () => {
  it('revokes the access of keys that list the group, and never reuses the ID', async () => {
    const group_id = await origin.group(key, { cid_hashes_permitted: [0] })
    const usage = await origin.usageKey(key, { execute_in_groups: [group_id] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
    expect(await post('remove_group', { group_id })).toEqual(done)
    expect((await origin.run(usage, CODE)).status).toBe(403)
    expect((await get(`get_group?group_id=${group_id}`)).status).toBe(404)
    expect(await origin.group(key, { cid_hashes_permitted: [0] })).toBeGreaterThan(group_id)
    expect((await origin.run(usage, CODE)).status).toBe(403)
  })

  it('returns 404 for a group that was removed before', async () => {
    const group_id = await origin.group(key, {})
    expect(await post('remove_group', { group_id })).toEqual(done)
    const [status] = await post('remove_group', { group_id })
    expect(status).toBe(404)
  })
})

describe('wallets and actions of a group', () => {
  it('take effect when they are added, one by one, and until they are removed', async () => {
    const wallet = await origin.wallet(key)
    const group_id = await origin.group(key, {})
    const usage = await origin.usageKey(key, { execute_in_groups: [group_id] })
    const signing = (await origin.core('get_svc_action_ipfs_id', { body: SIGN })).body
    const sign = () => origin.run(usage, SIGN, { pkpId: wallet.pkp_id })
    expect((await sign()).status).toBe(403)
    expect(await post('add_action_to_group', { group_id, action_ipfs_cid: signing })).toEqual(done)
    expect((await sign()).status).toBe(500)
    expect(await post('add_pkp_to_group', { group_id, pkp_id: wallet.pkp_id })).toEqual(done)
    expect((await sign()).body.response).toBe(wallet.wallet_address)
    expect(await post('remove_pkp_from_group', { group_id, pkp_id: wallet.pkp_id })).toEqual(done)
    expect((await sign()).status).toBe(500)
    expect(await post('remove_action_from_group', { group_id, cid: signing })).toEqual(done)
    expect((await sign()).status).toBe(403)
  })

  it('can be added and removed repeatedly', async () => {
    const { pkp_id } = await origin.wallet(key)
    const group_id = await origin.group(key, {})
    for (const name of ['add_pkp_to_group', 'remove_pkp_from_group'])
      for (const _twice of [1, 2]) expect(await post(name, { group_id, pkp_id })).toEqual(done)
    for (const name of ['add_action_to_group', 'remove_action_from_group'])
      for (const _twice of [1, 2]) expect(await post(name, { group_id, cid: CID })).toEqual(done)
  })

  it('include all of the account with the wildcard', async () => {
    const group_id = await origin.group(key, { cid_hashes_permitted: [0] })
    const permitted = async () => {
      const { body } = await get(`get_group?group_id=${group_id}`)
      return [body.pkp_ids_permitted, body.cid_hashes_permitted]
    }
    expect(await post('add_pkp_to_group', { group_id, pkp_id: ZERO_ADDRESS })).toEqual(done)
    expect(await permitted()).toEqual([[ZERO], [ZERO]])
    expect(await post('remove_pkp_from_group', { group_id, pkp_id: ZERO })).toEqual(done)
    expect(await post('remove_action_from_group', { group_id, hashed_cid: 0 })).toEqual(done)
    expect(await permitted()).toEqual([[], []])
  })

  it('are 404 if the account does not have the wallet or the group', async () => {
    const { pkp_id } = await origin.wallet(await origin.account())
    const group_id = await origin.group(key, {})
    expect(await post('add_pkp_to_group', { group_id, pkp_id })).toMatchObject([404, {}])
    for (const name of ['add_pkp_to_group', 'remove_pkp_from_group'])
      expect(await post(name, { group_id: 987, pkp_id: ZERO })).toMatchObject([404, {}])
    for (const name of ['add_action_to_group', 'remove_action_from_group'])
      expect(await post(name, { group_id: 987, cid: CID })).toMatchObject([404, {}])
  })
})

describe('an error that the mirror detects', () => {
  it.each<[string, object]>([
    ['update_group', { group_id: 987, name: 'x' }],
    ['add_pkp_to_group', { group_id: 987, pkp_id: ZERO }],
    ['add_pkp_to_group', { group_id: 1, pkp_id: id('no wallet') }],
    ['remove_pkp_from_group', { group_id: 987, pkp_id: ZERO }],
    ['add_action_to_group', { group_id: 987, cid: CID }],
    ['remove_action_from_group', { group_id: 987, cid: CID }],
    ['add_group', { name: 'g', pkp_ids_permitted: [id('no wallet')] }],
    ['update_action_metadata', { cid: `Qm${'a'.repeat(44)}`, name: 'x' }],
    ['update_usage_api_key', { usage_api_key: 'nobody', name: 'x' }],
  ])('is 404 before anything is sent: %s %j', async (name, body) => {
    const app = origin.appThatCannotWrite(new Error('asked'))
    expect((await origin.core(name, { app, key, body })).status).toBe(404)
  })
})

describe('each accepted name of a field', () => {
  it.each([
    [{ group_id: 1 }],
    [{ id: 1 }],
    [{ group_id: '1' }],
    [{ id: '1' }],
    [{ group_id: 1, id: '1' }],
  ])('for a group: %j', async (named) => {
    expect(await post('update_group', { ...named, name: 'spelled' })).toEqual(done)
  })

  it.each([['group_name'], ['name']])('for its name: %s', async (field) => {
    expect(await post('update_group', { group_id: 1, [field]: field })).toEqual(done)
    expect((await get('get_group?group_id=1')).body.name).toBe(field)
  })

  it.each([['action_ipfs_cid'], ['action_ipfs_id'], ['action_cid'], ['ipfs_id'], ['cid']])(
    'for a CID: %s',
    async (field) => {
      expect(await post('add_action_to_group', { group_id: 1, [field]: CID })).toEqual(done)
      expect(await post('remove_action_from_group', { group_id: 1, [field]: CID })).toEqual(done)
    },
  )

  it.each([['hashed_cid'], ['cid_hash']])('for the hash of a CID: %s', async (field) => {
    await post('add_action_to_group', { group_id: 1, cid: CID })
    const removal = { group_id: 1, [field]: id(CID), action_ipfs_cid: CID }
    expect(await post('remove_action_from_group', removal)).toEqual(done)
    const { body } = await get('get_group?group_id=1')
    expect(body.cid_hashes_permitted).not.toContain(id(CID))
  })

  it.each([['pkp_id'], ['wallet_address']])('for a wallet: %s', async (field) => {
    const { pkp_id, wallet_address } = await origin.wallet(key)
    for (const value of [pkp_id, wallet_address, wallet_address.toLowerCase()])
      expect(await post('add_pkp_to_group', { group_id: 1, [field]: value })).toEqual(done)
  })

  it.each<[string, object, string, string]>([
    ['update_group', { group_id: 1, id: 2, name: 'x' }, 'group_id', 'id'],
    ['add_group', { group_name: 'a', name: 'b' }, 'group_name', 'name'],
    [
      'add_group',
      { name: 'a', group_description: 'a', description: 'b' },
      'group_description',
      'description',
    ],
    [
      'add_pkp_to_group',
      { group_id: 1, pkp_id: ZERO, wallet_address: `0x${'1'.repeat(40)}` },
      'pkp_id',
      'wallet_address',
    ],
    ['add_action_to_group', { id: 1, cid: CID, ipfs_id: `Qm${'a'.repeat(44)}` }, 'ipfs_id', 'cid'],
    ['remove_action_from_group', { id: 1, cid: CID, cid_hash: 0 }, 'cid', 'cid_hash'],
  ])('is 400 if two of them disagree: %s %j', async (name, body, first, second) => {
    const answer = await origin.core(name, { key, body })
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request'])
    expect(answer.body.message).toContain(`${first}: conflicts with ${second}`)
  })
})

describe('a bad request', () => {
  it.each<[string, object, number, string]>([
    ['update_group', { name: 'x' }, 422, 'group_id'],
    ['remove_group', { group_id: null }, 422, 'group_id'],
    ['remove_group', { group_id: 0 }, 400, 'group_id'],
    ['remove_group', { group_id: '0' }, 400, 'group_id'],
    ['remove_group', { group_id: -1 }, 400, 'group_id'],
    ['remove_group', { group_id: 1e300 }, 400, 'group_id'],
    ['add_pkp_to_group', { group_id: 1 }, 422, 'pkp_id'],
    ['add_pkp_to_group', { group_id: 1, pkp_id: 0 }, 422, 'pkp_id'],
    ['add_pkp_to_group', { group_id: 1, pkp_id: '0x12' }, 400, 'pkp_id'],
    ['add_action_to_group', { group_id: 1 }, 422, 'action_ipfs_cid'],
    ['add_action_to_group', { group_id: 1, cid: 'Qm' }, 400, 'cid'],
    ['add_action_to_group', { group_id: 1, cid: id(CID) }, 400, 'cid'],
    ['add_action_to_group', { group_id: 1, cid: CID, name: 'x'.repeat(257) }, 400, 'name'],
    ['remove_action_from_group', { group_id: 1, cid_hash: '0x12' }, 400, 'cid_hash'],
    ['update_group', { group_id: 1, name: 'x'.repeat(257) }, 400, 'name'],
    ['update_group', { group_id: 1, description: 'x'.repeat(4097) }, 400, 'description'],
    [
      'update_group',
      { group_id: 1, pkp_ids_permitted: Array(51).fill(ZERO) },
      400,
      'pkp_ids_permitted',
    ],
    ['update_group', { group_id: 1, cid_hashes_permitted: 7 }, 422, 'cid_hashes_permitted'],
  ])('%s %j is %d and names %s', async (name, body, status, field) => {
    const answer = await origin.core(name, { key, body })
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain(`${field}:`)
  })

  it.each([
    ['get_group', 422],
    ['get_group?group_id=', 400],
    ['get_group?group_id=0', 400],
    ['get_group?group_id=1.5', 400],
    ['get_group?group_id=1&id=2', 400],
    ['list_wallets_in_group?group_id=x', 400],
    ['list_actions?group_id=-1', 400],
  ])('GET %s is %d and names group_id', async (query, status) => {
    const answer = await get(query)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain('group_id:')
  })

  it('with ten thousand IDs is rejected before they are checked', async () => {
    const body = { group_id: 1, cid_hashes_permitted: Array(10_000).fill(true) }
    const answer = await origin.core('update_group', { key, body })
    expect(answer.status).toBe(400)
    expect(answer.body.message.length).toBeLessThan(1_000)
  })

  it('is not caused by fifty IDs', async () => {
    const group_id = await origin.group(key, {})
    const cid_hashes_permitted = Array.from({ length: 50 }, (_, number) => id(String(number)))
    expect(await post('update_group', { group_id, cid_hashes_permitted })).toEqual(done)
    const { body } = await get(`get_group?group_id=${group_id}`)
    expect(body.cid_hashes_permitted.toSorted()).toEqual(cid_hashes_permitted.toSorted())
  })
})
