/** Requests as generated clients send them: null for omitted fields, unknown parameters, addresses in any case. */
import { getAddress, verifyMessage, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../../origin/http/operations.ts'
import { allowNulls } from '../../../shared/openapi/allow-nulls.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { conversionTo, convert } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { passOn } from './sealed-http-client.ts'
import { POLICY, VALID_REQUESTS } from './valid-requests.ts'

const ECHO = 'async function main(params) { return params }'
const SIGN = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('m')
}`
const RECORDED = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const ANOTHER = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

/** An account with one object of each kind. */
async function furnished() {
  const key = await origin.account()
  const { pkp_id: pkpId } = await origin.policyWallet(key, POLICY)
  const group = await origin.group(key, { pkp_ids_permitted: [pkpId] })
  const usageKeyHash = origin.hashOf(await origin.usageKey(key, {}))
  const body = { group_id: group, action_ipfs_cid: RECORDED }
  await origin.core('add_action_to_group', { key, body })
  const transaction = await origin.transaction(key, pkpId)
  return { key, known: { group, pkpId, usageKeyHash, transaction } }
}

const takingBodies = operations.filter(
  ({ body, auth, path }) =>
    body && !('isUnparsed' in body) && auth !== 'wallet_signature' && !path.includes('/billing/'),
)

describe.each(takingBodies)('$path', ({ path, body: described }) => {
  it('accepts null for each optional field, and allows it in its description', async () => {
    const { key, known } = await furnished()
    const cid = path.endsWith('/add_action') ? ANOTHER : RECORDED
    const body = VALID_REQUESTS[path]!({ ...known, cid }).body as object
    const fields = (allowNulls(jsonSchemaOf(described!.schema, 'input')) as any).properties
    const absent = Object.keys(fields).filter((field) => !Object.hasOwn(body, field))
    const nulls = Object.fromEntries(absent.map((field) => [field, null]))
    const answer = await origin.call(path, { key, method: 'POST', body: { ...body, ...nulls } })
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
    for (const field of absent) {
      const { type, anyOf } = fields[field]
      expect([field, JSON.stringify(type ?? anyOf)]).toEqual([
        field,
        expect.stringContaining('null'),
      ])
    }
  })
})

const reads = operations.filter(
  ({ method, path }) => method === 'GET' && !path.includes('/billing/'),
)

describe.each(reads)('$path', ({ path }) => {
  it('ignores unknown parameters', async () => {
    const { key, known } = await furnished()
    const { query = '' } = VALID_REQUESTS[path]!({ ...known, cid: RECORDED })
    const more = `${query === '' ? '?' : `${query}&`}_=1&unknown[]=2`
    expect((await origin.call(`${path}${more}`, { key })).status).toBe(200)
  })
})

describe('null', () => {
  it('in js_params is data, and in an array of IDs is 422', async () => {
    const key = await origin.account()
    const { body } = await origin.run(key, ECHO, { a: null, b: [null], c: { d: null } })
    expect(body.response).toEqual({ a: null, b: [null], c: { d: null } })
    const ids = { group_name: 'g', pkp_ids_permitted: [null] }
    expect((await origin.core('add_group', { key, body: ids })).status).toBe(422)
  })

  it('for js_params is {}, also if it is passed on by the edge or sealed end to end', async () => {
    const key = await origin.account()
    const sent = { code: ECHO, js_params: null }
    const headers: [string, string][] = [
      ['x-api-key', key],
      ['content-type', 'application/json'],
    ]
    const request = { method: 'POST', path: '/core/v1/svc_action', headers }
    const passed = await passOn(origin, { ...request, body: JSON.stringify(sent) })
    expect([passed.status, passed.body.response]).toEqual([200, {}])
    for (const mode of ['psk', 'base'] as const) {
      const answer = await origin.execute({ credential: { api_key: key }, ...sent }, mode)
      expect(answer).toMatchObject({ state: 'ended', outcome: { response: {} } })
    }
  })

  it('for a required field counts as missing', async () => {
    const key = await origin.account()
    const { status, body } = await origin.core('add_group', { key, body: { name: null } })
    expect([status, body.message]).toEqual([422, expect.stringContaining('group_name: required')])
  })
})

describe('an address in any letter case', () => {
  /** Mixed case that does not match the checksum. */
  const wrong = (address: string) =>
    address.replaceAll(/([0-9a-f])([0-9a-f])/gi, (_pair, one: string, two: string) => {
      return one.toLowerCase() + two.toUpperCase()
    })
  const cases: [string, (address: string) => string][] = [
    ['lower', (address) => address.toLowerCase()],
    ['upper', (address) => `0x${address.slice(2).toUpperCase()}`],
    ['with a wrong checksum', wrong],
  ]

  it.each(cases)('identifies a wallet: %s', async (_case, spelled) => {
    const key = await origin.account()
    const { wallet_address } = await origin.wallet(key)
    const address = spelled(wallet_address)
    const group = await origin.group(key, {
      pkp_ids_permitted: [address],
      cid_hashes_permitted: [0],
    })
    for (const name of ['add_pkp_to_group', 'remove_pkp_from_group', 'add_pkp_to_group']) {
      const body = { group_id: group, pkp_id: address }
      expect((await origin.core(name, { key, body })).status).toBe(200)
    }
    const { body } = await origin.run(key, SIGN, { pkpId: address })
    expect(verifyMessage('m', body.response)).toBe(getAddress(wallet_address))
  })

  it.each(cases)('identifies the new admin: %s', async (_case, spelled) => {
    const admin = Wallet.createRandom()
    const proof = conversionTo(admin, { address: spelled(admin.address) })
    const body = { ...proof, new_admin_wallet_address: spelled(admin.address) }
    const answer = await convert(origin, await origin.account(), body)
    expect([answer.status, answer.body.wallet_address]).toEqual([200, admin.address])
  })
})
