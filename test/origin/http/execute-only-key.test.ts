/** A usage key with every boolean false, every array empty, and one group to execute in. */
import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../../origin/http/operations.ts'
import { booksOf } from '../credits/process.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { POLICY, VALID_REQUESTS } from './valid-requests.ts'

const OWNER = Wallet.createRandom()
/** A derived action that runs only for callers with a signature by its owner. */
const GUARDED = `async function template(manifest, { order, approval }) {
  const signer = ethers.utils.verifyMessage(order, approval)
  if (signer !== manifest.owner) throw new Error('not approved by the owner')
  return { done: order }
}
const MANIFEST={"owner":"${OWNER.address}"};
async function main(params) { return template(MANIFEST, params) }`
const ORDER = 'pay 3'

let origin: TestOrigin
let master: string
let key: string
let group: number
let cid: string
beforeAll(async () => {
  origin = await startOrigin()
  master = await origin.poor(50)
  group = await origin.group(master, {})
  cid = (await origin.core('get_svc_action_ipfs_id', { body: GUARDED })).body
  const body = { group_id: group, action_ipfs_cid: cid }
  await origin.core('add_action_to_group', { key: master, body })
  key = await origin.usageKey(master, { execute_in_groups: [group] })
})
afterAll(() => origin.close())

const balance = async () => (await origin.core('billing/balance', { key })).body.balance_cents

describe('an execute-only key', () => {
  it('pays for a run that its group permits, from the account and recorded under its own hash', async () => {
    const before = await balance()
    const approval = await OWNER.signMessage(ORDER)
    const run = await origin.run(key, GUARDED, { order: ORDER, approval })
    expect([run.status, run.body.response]).toEqual([200, { done: ORDER }])
    expect(await balance()).toBe(before - 1)
    const { transfers } = await booksOf(origin.database.db, origin.hashOf(master))
    expect(transfers.at(-1)).toMatchObject({
      kind: 'execution',
      cents: 1,
      keyHash: origin.hashOf(key),
      subject: cid,
    })
  })

  it('has no authority inside a derived action, which requires a signature that it verifies', async () => {
    const forged = await Wallet.createRandom().signMessage(ORDER)
    const run = await origin.run(key, GUARDED, { order: ORDER, approval: forged, owner: forged })
    expect([run.status, run.headers.get('x-svc-error')]).toEqual([500, 'action_threw'])
    expect(run.body).toContain('not approved by the owner')
  })

  it('runs nothing else: one more byte makes another action', async () => {
    expect((await origin.run(key, `${GUARDED}\n`, {})).status).toBe(403)
  })

  it.each(operations.filter(({ writes }) => writes !== undefined))(
    'changes nothing: $path is 403 and free of charge',
    async ({ path, method }) => {
      const { pkp_id: pkpId } = await origin.policyWallet(master, POLICY)
      const known = { group, pkpId, cid, usageKeyHash: origin.hashOf(key), transaction: '' }
      const { body } = VALID_REQUESTS[path]!(known)
      const before = await balance()
      const answer = await origin.call(path, { key, method, body })
      expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
      expect(await balance()).toBe(before)
    },
  )

  it.each(['list_wallets', 'list_groups', 'list_actions', 'list_api_keys'])(
    'reads nothing of the account as a whole: %s is 403',
    async (name) => {
      expect((await origin.core(name, { key })).status).toBe(403)
    },
  )
})
