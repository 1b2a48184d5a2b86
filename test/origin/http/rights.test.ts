/** Each right of a usage key allows its own operation, and nothing else. */
import { keccak256, toUtf8Bytes } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const EVERY_WALLET = `0x${'0'.repeat(64)}`
const NO_RIGHT = {
  can_create_groups: false,
  can_delete_groups: false,
  can_create_pkps: false,
  manage_ipfs_ids_in_groups: [],
  add_pkp_to_groups: [],
  remove_pkp_from_groups: [],
  execute_in_groups: [],
}

let origin: TestOrigin
let master: string
let pkpId: string
let group: number
let other: number
beforeAll(async () => {
  origin = await startOrigin()
  master = await origin.account()
  pkpId = (await origin.wallet(master)).pkp_id
  group = await origin.group(master, {})
  other = await origin.group(master, {})
})
afterAll(() => origin.close())

async function status(rights: object, name: string, body: object): Promise<number> {
  const key = await origin.usageKey(master, rights)
  return (await origin.core(name, { key, body })).status
}

describe('a boolean right allows only its own operation', () => {
  it.each([
    ['create_wallet', 'can_create_pkps', () => ({})],
    ['add_group', 'can_create_groups', () => ({ name: 'g' })],
  ])('%s requires %s', async (name, right, body) => {
    expect(await status({ [right]: true }, name, body())).toBe(200)
    expect(await status({ ...EVERY_RIGHT, [right]: false }, name, body())).toBe(403)
  })

  it('remove_group requires can_delete_groups', async () => {
    const doomed = await origin.group(master, {})
    const body = { group_id: doomed }
    expect(await status({ ...EVERY_RIGHT, can_delete_groups: false }, 'remove_group', body)).toBe(
      403,
    )
    expect(await status({ can_delete_groups: true }, 'remove_group', body)).toBe(200)
  })
})

/** The operation and its array. `all` marks what only 0 in the array allows. */
const IN_GROUPS: [string, string, (groupId: number) => object, 'all'?][] = [
  ['add_pkp_to_group', 'add_pkp_to_groups', (group_id) => ({ group_id, pkp_id: pkpId })],
  [
    'add_pkp_to_group',
    'add_pkp_to_groups',
    (group_id) => ({ group_id, pkp_id: EVERY_WALLET }),
    'all',
  ],
  ['remove_pkp_from_group', 'remove_pkp_from_groups', (group_id) => ({ group_id, pkp_id: pkpId })],
  ['add_action_to_group', 'manage_ipfs_ids_in_groups', (group_id) => ({ group_id, cid: CID })],
  ['remove_action_from_group', 'manage_ipfs_ids_in_groups', (group_id) => ({ group_id, cid: CID })],
]

describe.each(IN_GROUPS)('%s by %s (%s %s)', (name, array, body, all) => {
  it.each([
    ['0', () => [0], 200],
    ['the group', () => [group], all ? 403 : 200],
    ['the group among others', () => [other, group], all ? 403 : 200],
    ['another group', () => [other], 403],
    ['none', () => [], 403],
  ])('with %s in the array', async (_what, ids, expected) => {
    expect(await status({ [array]: ids() }, name, body(group))).toBe(expected)
  })

  it('is not granted by all other rights together', async () => {
    expect(await status({ ...EVERY_RIGHT, [array]: [] }, name, body(group))).toBe(403)
  })

  it('names the array that the key lacks', async () => {
    const key = await origin.usageKey(master, {})
    const answer = await origin.core(name, { key, body: body(group) })
    expect(answer.body.fix).toContain(array)
    expect(answer.headers.get('x-svc-error')).toMatch(/^not_allowed_to_/)
  })

  it('is no oracle: a group that does not exist is 403 without a right to it, and 404 with one', async () => {
    expect(await status({ [array]: [group] }, name, body(99))).toBe(403)
    expect(await status({ [array]: [0] }, name, body(99))).toBe(404)
    expect((await origin.core(name, { key: master, body: body(99) })).status).toBe(404)
  })
})

describe('the contract rejects what the server rejects, with the same error', () => {
  const hex = (cid: string) => keccak256(toUtf8Bytes(cid))
  it.each<[string, object, object, string, () => unknown[]]>([
    ['create_wallet', {}, {}, 'registerWalletDerivation', () => [pkpId, hex('path'), '', '']],
    ['add_group', {}, { name: 'g' }, 'addGroup', () => ['g', '', [], []]],
    [
      'add_group',
      { can_create_groups: true },
      { name: 'g', pkp_ids_permitted: [EVERY_WALLET] },
      'addGroup',
      () => ['g', '', [EVERY_WALLET], []],
    ],
    [
      'add_group',
      { can_create_groups: true },
      { name: 'g', cid_hashes_permitted: [0] },
      'addGroup',
      () => ['g', '', [], [0]],
    ],
    ['remove_group', {}, { group_id: 1 }, 'removeGroup', () => [1]],
    [
      'update_group',
      EVERY_RIGHT,
      { group_id: 1, name: 'x' },
      'updateGroup',
      () => [1, 1, ['x', '', [], []]],
    ],
    [
      'add_pkp_to_group',
      { add_pkp_to_groups: [1] },
      { group_id: 1, pkp_id: EVERY_WALLET },
      'addPkpToGroup',
      () => [1, EVERY_WALLET],
    ],
    [
      'remove_pkp_from_group',
      { remove_pkp_from_groups: [2] },
      { group_id: 1, pkp_id: EVERY_WALLET },
      'removePkpFromGroup',
      () => [1, EVERY_WALLET],
    ],
    [
      'add_action_to_group',
      {},
      { group_id: 1, cid: CID },
      'addActionToGroup',
      () => [1, CID, '', ''],
    ],
    [
      'remove_action_from_group',
      {},
      { group_id: 1, cid: CID },
      'removeActionFromGroup',
      () => [1, hex(CID)],
    ],
    ['add_action', EVERY_RIGHT, { cid: CID }, 'addAction', () => [CID, '', '']],
    ['delete_action', EVERY_RIGHT, { cid: CID }, 'deleteAction', () => [hex(CID)]],
    [
      'remove_usage_api_key',
      EVERY_RIGHT,
      { usage_api_key: CID },
      'removeUsageApiKey',
      () => [hex(CID)],
    ],
    ['rotate_account_api_key', EVERY_RIGHT, {}, 'rotateAccountApiKey', () => [hex('new')]],
  ])('%s with %j', async (name, rights, body, functionName, args) => {
    const key = await origin.usageKey(master, rights)
    // The server decides from its mirror. A call of the writer would make this a 500.
    const app = origin.appThatCannotWrite(new Error('asked'))
    const answer = await origin.core(name, { app, key, body })
    expect(answer.status).toBe(403)
    const written = origin.services.writer.write(functionName, [origin.hashOf(key), ...args()])
    const refusal = await written.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(ContractRevertError)
    expect((refusal as ContractRevertError).code).toBe(answer.headers.get('x-svc-error'))
  })
})

describe('a usage key that may create groups', () => {
  it.each([
    ['a wallet', { pkp_ids_permitted: [EVERY_WALLET] }, 'add_pkp_to_groups'],
    ['an action', { cid_hashes_permitted: [0] }, 'manage_ipfs_ids_in_groups'],
  ])(
    'can put %s into one only with 0 in the array of that right',
    async (_what, permits, array) => {
      const body = { name: 'mine', ...permits }
      const grown = { can_create_groups: true }
      expect(await status({ ...grown, [array]: [0] }, 'add_group', body)).toBe(200)
      expect(await status({ ...grown, [array]: [group, other] }, 'add_group', body)).toBe(403)
      expect(await status({ ...EVERY_RIGHT, [array]: [] }, 'add_group', body)).toBe(403)
    },
  )
})

describe('a usage key can read a group that one of its arrays names', () => {
  const READS = ['get_group', 'list_wallets_in_group', 'list_actions']
  const read = async (name: string, rights: object, id: number) => {
    const key = await origin.usageKey(master, rights)
    return (await origin.call(`/core/v1/${name}?group_id=${id}`, { key })).status
  }

  it.each(READS)('%s', async (name) => {
    for (const array of [
      'manage_ipfs_ids_in_groups',
      'add_pkp_to_groups',
      'remove_pkp_from_groups',
      'execute_in_groups',
    ]) {
      expect(await read(name, { [array]: [group] }, group)).toBe(200)
      expect(await read(name, { [array]: [0] }, group)).toBe(200)
      expect(await read(name, { [array]: [group] }, other)).toBe(403)
      expect(await read(name, { [array]: [group] }, 99)).toBe(403)
      expect(await read(name, { [array]: [0] }, 99)).toBe(404)
    }
    expect(await read(name, { ...NO_RIGHT, can_create_groups: true }, group)).toBe(403)
  })

  it('but sees no other key and no other group in it', async () => {
    const cid = { group_id: group, action_ipfs_cid: CID }
    await origin.core('add_action_to_group', { key: master, body: cid })
    await origin.core('add_action_to_group', { key: master, body: { ...cid, group_id: other } })
    const key = await origin.usageKey(master, { execute_in_groups: [group] })
    const { body } = await origin.call(`/core/v1/get_group?group_id=${group}`, { key })
    expect(body.keys.map(({ id }: { id: string }) => id)).toEqual([origin.hashOf(key)])
    expect(body.actions.map(({ groups }: { groups: number[] }) => groups)).toEqual([[group]])
  })
})

describe('an attack with a usage key', () => {
  it('fails if it grants itself more', async () => {
    const key = await origin.usageKey(master, { ...EVERY_RIGHT, execute_in_groups: [] })
    const body = { usage_api_key: key, execute_in_groups: [0] }
    expect((await origin.core('update_usage_api_key', { key, body })).status).toBe(403)
  })

  it('fails if it removes the rule that limits it', async () => {
    const key = await origin.usageKey(master, EVERY_RIGHT)
    const body = { group_id: group, cid_hashes_permitted: [0] }
    expect((await origin.core('update_group', { key, body })).status).toBe(403)
  })

  it('finds no groups of another account', async () => {
    const stranger = await origin.account()
    const key = await origin.usageKey(stranger, EVERY_RIGHT)
    for (const [name, , body] of IN_GROUPS)
      expect((await origin.core(name, { key, body: body(group) })).status).toBe(404)
  })
})
