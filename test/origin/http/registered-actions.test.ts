import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

const CODE = 'async function main() { return 1 }'
const CIDS = [
  'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
  'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD',
  'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
] as const
const [CID] = CIDS

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const post = async (name: string, body: object, used = key) => {
  const answer = await origin.core(name, { key: used, body })
  return { status: answer.status, body: answer.body, code: answer.headers.get('x-svc-error') }
}
const list = async (query = '', used = key) =>
  (await origin.call(`/core/v1/list_actions${query}`, { key: used })).body

describe('an action', () => {
  beforeAll(async () => {
    key = await origin.account()
  })

  it('is recorded by its CID, which permits nothing', async () => {
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    const group = await origin.group(key, {})
    const added = await post('add_action', { action_ipfs_cid: cid, name: 'one', description: 'd' })
    expect([added.status, added.body]).toEqual([200, { success: true, cid_hash: id(cid) }])
    expect(await list()).toEqual([
      { cid_hash: id(cid), action_ipfs_cid: cid, name: 'one', description: 'd', groups: [] },
    ])
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
  })

  it('is recorded once: a repeat is 409, a string with its code', async () => {
    await post('add_action', { cid: CID })
    const again = await post('add_action', { cid: CID })
    expect([again.status, again.code, typeof again.body]).toEqual([
      409,
      'action_already_exists',
      'string',
    ])
  })

  it('can be renamed by CID or by hash, each field separately', async () => {
    const named = async () => {
      const [{ name, description }] = (await list()).filter((row: any) => row.cid_hash === id(CID))
      return [name, description]
    }
    expect((await post('update_action_metadata', { cid: CID, name: 'n' })).status).toBe(200)
    expect(await named()).toEqual(['n', ''])
    const described = { cid_hash: id(CID), description: 'd' }
    expect((await post('update_action_metadata', described)).status).toBe(200)
    expect(await named()).toEqual(['n', 'd'])
    expect((await post('update_action_metadata', { cid: CID, name: '' })).status).toBe(200)
    expect(await named()).toEqual(['', 'd'])
  })

  it('is 404 for a change or a deletion if it is not recorded', async () => {
    for (const [name, body] of [
      ['update_action_metadata', { cid: CIDS[2], name: 'x' }],
      ['delete_action', { cid: CIDS[2] }],
      ['delete_action', { cid_hash: 0 }],
    ] as const) {
      const answer = await post(name, body)
      expect([answer.status, answer.code]).toEqual([404, 'action_does_not_exist'])
    }
  })

  it('is 422 without a change or without a CID, and 400 with an invalid one', async () => {
    expect((await post('update_action_metadata', { cid: CID })).status).toBe(422)
    expect((await post('add_action', { name: 'x' })).status).toBe(422)
    expect((await post('add_action', { cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26' })).status).toBe(400)
    expect((await post('delete_action', { hashed_cid: '0x00' })).status).toBe(400)
  })
})

describe('an action in groups', () => {
  beforeAll(async () => {
    key = await origin.account()
    for (const _each of [1, 2, 3]) await origin.group(key, {})
  })

  it('is recorded by add_action_to_group with its name, and listed with its groups', async () => {
    await post('add_action_to_group', { group_id: 1, cid: CID, name: 'n', description: 'd' })
    await post('add_action_to_group', { group_id: 3, cid: CID })
    const row = { cid_hash: id(CID), action_ipfs_cid: CID, name: 'n', description: 'd' }
    expect(await list()).toEqual([{ ...row, groups: [1, 3] }])
    expect(await list('?group_id=3')).toEqual([{ ...row, groups: [1, 3] }])
    expect(await list('?group_id=2')).toEqual([])
  })

  it('is listed without a CID if it is permitted by its hash only', async () => {
    await post('update_group', { group_id: 2, cid_hashes_permitted: [id(CIDS[1])] })
    const row = { cid_hash: id(CIDS[1]), action_ipfs_cid: null, name: '', description: '' }
    expect(await list('?group_id=2')).toEqual([{ ...row, groups: [2] }])
    expect(await list()).toContainEqual({ ...row, groups: [2] })
  })

  it('is not permitted anywhere after it is deleted', async () => {
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    await post('add_action_to_group', { group_id: 1, cid })
    const usage = await origin.usageKey(key, { execute_in_groups: [1] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
    expect((await post('delete_action', { cid })).status).toBe(200)
    expect((await origin.run(usage, CODE)).status).toBe(403)
    expect(JSON.stringify(await list())).not.toContain(cid)
  })

  it('keeps its name if a usage key of one group adds it under another', async () => {
    const usage = await origin.usageKey(key, { manage_ipfs_ids_in_groups: [2] })
    const added = await post('add_action_to_group', { group_id: 2, cid: CID, name: 'mine' }, usage)
    expect(added.status).toBe(200)
    const [row] = (await list()).filter(({ cid_hash }: any) => cid_hash === id(CID))
    expect([row.name, row.groups]).toEqual(['n', [1, 2, 3]])
  })

  it('is listed in a group that permits every action if it is recorded', async () => {
    const group = await origin.group(key, { cid_hashes_permitted: [0] })
    const rows = await list(`?group_id=${group}`)
    expect(rows.map(({ action_ipfs_cid }: any) => action_ipfs_cid)).toEqual([CID])
  })

  it('is listed in pages', async () => {
    const { body, headers } = await origin.call('/core/v1/list_actions?page_size=1', { key })
    expect([body.length, headers.get('x-total-count')]).toEqual([1, '2'])
  })
})
