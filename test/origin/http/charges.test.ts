/** Cost of each call for the account, and the sender and payer of its transaction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { OverloadedError } from '../../../origin/admission/event-loop-load.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { operations } from '../../../origin/http/operations.ts'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { POLICY, VALID_REQUESTS } from './valid-requests.ts'

const CODE = 'async function main() { return 1 }'
const RECORDED = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const ANOTHER = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents

/** Number of transactions that the service's payers have sent. */
async function sent(): Promise<number> {
  const { chain, keyring } = origin.services
  const payers = [1, 2].map((number) => addressFromPrivateKey(keyring.payerKey(number)))
  const counts = payers.map((payer) => chain.provider.getTransactionCount(payer))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** An account with one object of each kind, and requests to it that succeed. */
async function furnished(cents: number) {
  const key = await origin.poor(cents)
  const { pkp_id: pkpId } = await origin.policyWallet(key, POLICY)
  const group = await origin.group(key, { pkp_ids_permitted: [pkpId] })
  const usage = await origin.usageKey(key, {})
  const body = { group_id: group, action_ipfs_cid: RECORDED }
  await origin.core('add_action_to_group', { key, body })
  const transaction = await origin.transaction(key, pkpId)
  return { key, usage, known: { group, pkpId, usageKeyHash: origin.hashOf(usage), transaction } }
}

const FREE_TRANSACTIONS = ['/core/v1/new_account', '/core/v1/convert_to_chain_secured_account']
const EXECUTION = '/core/v1/svc_action'
const PAYMENTS = /create_payment_intent|confirm_payment|processor_config/

const withKey = operations.filter(({ auth }) => auth !== 'wallet_signature')

describe.each(withKey.filter(({ path }) => !PAYMENTS.test(path)))('$path', (operation) => {
  it('costs a cent for an execution, or for a transaction that is not free, and otherwise nothing', async () => {
    const { path, method } = operation
    const { key, known } = await furnished(100)
    const cid = path.endsWith('/add_action') ? ANOTHER : RECORDED
    const { body, query = '' } = VALID_REQUESTS[path]!({ ...known, cid })
    const [cents, transactions] = [await balanceOf(key), await sent()]
    const answer = await origin.call(`${path}${query}`, { key, method, body })
    expect(answer.status).toBe(200)
    const used: string = path.includes('rotate') ? answer.body.api_key : key
    const did = (await sent()) - transactions
    const cost = cents - (await balanceOf(used))
    if (FREE_TRANSACTIONS.includes(path)) expect([did, cost]).toEqual([1, 0])
    else if (path === EXECUTION) expect([did, cost]).toEqual([0, 1])
    else expect([did, cost]).toEqual(operation.method === 'GET' || isOpen(path) ? [0, 0] : [1, 1])
  })
})

/** A POST that neither writes nor runs an action. */
const isOpen = (path: string) =>
  /\/(get_svc_action_ipfs_id|simulate_signature|\w*transaction|set_transaction_defaults)$/.test(
    path,
  )

it('the wallet of an account neither sends nor holds anything, because the service pays the gas', async () => {
  const body = { account_name: 'a', account_description: '' }
  const { api_key: key, wallet_address } = (await origin.core('new_account', { body })).body
  await origin.group(key, {})
  const { provider } = origin.services.chain
  expect(await provider.getTransactionCount(wallet_address)).toBe(0)
  expect(await provider.getBalance(wallet_address)).toBe(0n)
})

describe('a request that fails is free of charge', () => {
  type Sent = Parameters<TestOrigin['core']>[1]
  const noExecutor = () => {
    const { services } = origin
    const lost = { kind: 'lost', reason: 'no executor', started: false } as const
    const pool = {
      refusal: () => undefined,
      run: async () => lost,
    } as unknown as TestOrigin['pool']
    const limits = { wallMs: 1_000, cpuMs: 1_000 }
    const executions = new Executions({ ...services, pool, limits })
    return createOriginApp({ ...origin.services, executions })
  }
  const shedding = () => {
    const requireRoom = () => {
      throw new OverloadedError('the event loop is delayed by 300 ms')
    }
    return createOriginApp({ ...origin.services, load: { requireRoom } })
  }
  const cut = () => origin.appThatCannotWrite(new ContractUnavailableError('it does not answer'))
  const broken = () => origin.appThatCannotWrite(new Error('unforeseen'))
  const missing = { group_id: 99 }

  it.each<[number, string, string, () => Sent]>([
    [400, 'no JSON', 'add_group', () => ({ text: '{' })],
    [400, 'a bad value', 'remove_group', () => ({ body: { group_id: -1 } })],
    [422, 'a missing field', 'add_group', () => ({ body: {} })],
    [413, 'too long a source', 'svc_action', () => ({ body: { code: 'x'.repeat(17_000_000) } })],
    [404, 'no such group', 'remove_group', () => ({ body: missing })],
    [409, 'it is recorded', 'add_action', () => ({ body: { cid: RECORDED } })],
    [429, 'load', 'create_wallet', () => ({ body: {}, app: shedding() })],
    [500, 'the action throws', 'svc_action', () => ({ body: { code: 'throw 1' } })],
    [500, 'a fault of the server', 'create_wallet', () => ({ body: {}, app: broken() })],
    [503, 'the chain is away', 'create_wallet', () => ({ body: {}, app: cut() })],
    [503, 'no executor', 'svc_action', () => ({ body: { code: CODE }, app: noExecutor() })],
  ])('%i, %s: %s', async (status, _why, name, request) => {
    const { key } = await furnished(20)
    const cents = await balanceOf(key)
    const answer = await origin.core(name, { key, ...request() })
    expect(answer.status).toBe(status)
    expect(answer.headers.has('retry-after')).toBe(status === 429 || status === 503)
    expect(await balanceOf(key)).toBe(cents)
    expect((await origin.core('billing/balance', { key })).body.reserved_cents).toBe(0)
  })

  it('403, a usage key without the permission', async () => {
    const { key, usage } = await furnished(20)
    const cents = await balanceOf(key)
    for (const [name, body] of [
      ['create_wallet', {}],
      ['svc_action', { code: CODE }],
      ['add_usage_api_key', { name: 'k' }],
    ] as const)
      expect((await origin.core(name, { key: usage, body })).status).toBe(403)
    expect(await balanceOf(key)).toBe(cents)
  })
})
