/** Operations on transactions, with the rights of keys and wallets, and attacks on them. */
import { eq } from 'drizzle-orm'
import { JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AccountRate } from '../../../origin/admission/account-rate.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { transactions } from '../../../origin/db/schema.ts'
import { TransactionStore } from '../../../origin/transactions/store.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import { UNPAID_TRANSACTION_DATA_MAX_BYTES } from '../../../shared/limits.ts'
import {
  SEND_TRANSACTION_CID,
  SEND_TRANSACTION_SOURCE,
} from '../../../shared/wire/send-transaction-action.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { walletAuth } from './signed-request.ts'

const SUPPLIER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NO_ID = `tx_${'0'.repeat(32)}`
/** Reverts with `Error("closed")`. */
const CLOSED = `0x${[
  '7f08c379a0'.padEnd(66, '0'), // PUSH32 selector
  '600052', // MSTORE at 0
  '6020600452', // offset
  '6006602452', // length
  `7f${Buffer.from('closed').toString('hex').padEnd(64, '0')}604452`,
  '60646000fd', // REVERT
].join('')}`

let origin: TestOrigin
let provider: JsonRpcProvider
let key: string
let wallet: { pkp_id: string; wallet_address: string }
beforeAll(async () => {
  origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 }
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, options)
  key = await origin.account()
  wallet = await funded(key)
})
afterEach(() => {
  origin.clock.aheadMs = 0
})
afterAll(async () => {
  provider.destroy()
  await origin.close()
})

async function funded(account: string) {
  const made = await origin.wallet(account)
  await provider.send('anvil_setBalance', [made.wallet_address, '0xde0b6b3a7640000'])
  return made
}

type Options = NonNullable<Parameters<TestOrigin['core']>[1]>

const payment = (fields: object = {}) => ({
  pkp_id: wallet.pkp_id,
  chain: 'ethereum',
  to: SUPPLIER,
  value: '1000',
  ...fields,
})
const send = (fields: object = {}, more: Options = { key }) =>
  origin.core('send_transaction', { body: payment(fields), ...more })
const identified = (id: string, by = key): Options => ({
  key: by,
  headers: { 'idempotency-key': id },
})
const list = (query = '', more: Options = { key }) => origin.core(`transactions${query}`, more)
const idsOf = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id)
const change = (name: 'cancel' | 'speed_up', id: string, more: Options = { key }) =>
  origin.core(`${name}_transaction`, { body: { id }, ...more })
const get = async (id: string, more?: Options) => (await list(`?id=${id}`, more)).body[0]
const until = async (id: string, done: (record: any) => boolean, more?: Options) => {
  for (;;) {
    const record = await get(id, more)
    if (done(record)) return record
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A usage key whose group permits the built-in action with these wallets. */
async function sender(pkpIds: readonly string[], account = key) {
  const group = await origin.group(account, { pkp_ids_permitted: pkpIds })
  const body = { group_id: group, action_ipfs_cid: SEND_TRANSACTION_CID }
  expect((await origin.core('add_action_to_group', { key: account, body })).status).toBe(200)
  return { group, key: await origin.usageKey(account, { execute_in_groups: [group] }) }
}

describe('send_transaction', () => {
  it('returns the transaction at once, which is then mined and becomes final', async () => {
    const answer = await send()
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^tx_[0-9a-f]{32}$/),
      chain: 'ethereum',
      chain_id: 31_337,
      ...wallet,
      to: SUPPLIER,
      data: '0x',
      value: '1000',
      speed: 'normal',
      action_cid: SEND_TRANSACTION_CID,
      run_id: null,
      step: null,
    })
    const { state, attempts, mined } = await until(answer.body.id, ({ ended_at }) => ended_at)
    expect(state).toBe('final')
    expect(attempts).toMatchObject([{ kind: 'send', hash: mined.hash }])
    const { to, value } = (await provider.getTransaction(mined.hash))!
    expect([to, value]).toEqual([SUPPLIER, 1000n])
  })

  it('reports why a transaction failed, without a signature', async () => {
    const closed = Wallet.createRandom().address
    await provider.send('anvil_setCode', [closed, CLOSED])
    const { id } = (await send({ to: closed, value: 0 })).body
    expect(await until(id, ({ ended_at }) => ended_at)).toMatchObject({
      state: 'failed',
      failure: { code: 'would_revert', message: expect.stringContaining('closed') },
      attempts: [],
    })
  })

  it('accepts the admin wallet of a ChainSecured account, with a proof of this purpose', async () => {
    const account = await origin.account()
    const { pkp_id } = await funded(account)
    const admin = await makeChainSecured(origin, account)
    const headers = await walletAuth(admin, origin, {}, 'SendTransactions')
    const { status, body } = await send({ pkp_id }, { headers })
    expect([status, body.pkp_id]).toEqual([200, pkp_id])
    const billing = { headers: await walletAuth(admin, origin) }
    expect(idsOf(await list('', billing))).toEqual([body.id])
  })

  it('is free of charge', async () => {
    const poor = await origin.poor(1)
    const { pkp_id } = await origin.wallet(poor)
    expect((await send({ pkp_id }, { key: poor })).status).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  it('identifies a transaction permanently: a repeat sends nothing and returns the current state', async () => {
    const first = await send({}, identified('invoice 1'))
    await until(first.body.id, ({ state }) => state === 'final')
    origin.clock.aheadMs = 400 * DAY_MS
    await origin.services.storedResponses.forgetOld()
    origin.clock.aheadMs = 0
    const again = await send({}, identified('invoice 1'))
    expect([again.status, again.body.id, again.body.state]).toEqual([200, first.body.id, 'final'])
  })

  it('recognizes the same request in another notation', async () => {
    const { id } = (await send({ value: 4096, data: '0xAB' }, identified('hex'))).body
    const other = { value: '0x1000', data: '0xab', to: SUPPLIER.toLowerCase(), chain: 31_337 }
    expect((await send(other, identified('hex'))).body.id).toBe(id)
  })

  it('creates one transaction for concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => send({}, identified('at once'))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  })

  it('stays the same identity when the account key is rotated', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.wallet(account)
    const first = await send({ pkp_id }, identified('rent', account))
    const { body } = await origin.core('rotate_account_api_key', { key: account, method: 'POST' })
    const again = await send({ pkp_id }, identified('rent', body.api_key))
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
  })

  it('reused for another payment: 409 with the ID of the first one, and nothing is sent', async () => {
    const first = await send({}, identified('invoice 2'))
    for (const other of [{ value: '1001' }, { to: wallet.wallet_address }, { data: '0x01' }]) {
      const { status, body, headers } = await send(other, identified('invoice 2'))
      expect([status, headers.get('x-svc-error')]).toEqual([409, 'idempotency_key_reused'])
      expect(body.message).toContain(first.body.id)
    }
  })

  it('of another key is another transaction', async () => {
    const { key: usage } = await sender([wallet.pkp_id])
    const first = await send({}, identified('shared name'))
    const second = await send({}, identified('shared name', usage))
    expect(second.status).toBe(200)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('is not needed: each request without one is a new transaction', async () => {
    expect((await send()).body.id).not.toBe((await send()).body.id)
  })
})

describe('a usage key', () => {
  it('sends with the wallets of its groups that permit the built-in action', async () => {
    const { key: usage } = await sender([wallet.pkp_id])
    const { id } = (await send({}, { key: usage })).body
    expect(await until(id, ({ ended_at }) => ended_at)).toMatchObject({ state: 'final' })
  })

  it('can run the built-in action instead, with the same effect', async () => {
    const { key: usage } = await sender([wallet.pkp_id])
    const params = { pkpId: wallet.pkp_id, chain: 'ethereum', to: SUPPLIER }
    const run = await origin.run(usage, SEND_TRANSACTION_SOURCE, params)
    expect(run.status).toBe(200)
    const { id } = run.body.response
    expect(idsOf(await list('', { key: usage }))).toEqual([id])
    const { state, action_cid } = await until(id, ({ ended_at }) => ended_at)
    expect([state, action_cid]).toEqual(['final', SEND_TRANSACTION_CID])
  })

  it('without the right: 403 that names the action and the group', async () => {
    const group = await origin.group(key, { pkp_ids_permitted: [wallet.pkp_id] })
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    const { status, body } = await send({}, { key: usage })
    expect([status, body.error]).toEqual([403, 'forbidden'])
    expect(body.fix).toContain(`group ${group} (add_action_to_group`)
    expect(body.fix).toContain(SEND_TRANSACTION_CID)
  })

  it('with the wildcard of groups, but without a group that permits the action: 403', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.wallet(account)
    await origin.group(account, { pkp_ids_permitted: [pkp_id] })
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const { status, body } = await send({ pkp_id }, { key: usage })
    expect([status, body.message]).toEqual([403, expect.stringContaining(SEND_TRANSACTION_CID)])
  })

  it('with a wallet of another group: 403 that names the group that needs the wallet', async () => {
    const { group, key: usage } = await sender([(await origin.wallet(key)).pkp_id])
    await origin.group(key, { pkp_ids_permitted: [wallet.pkp_id] })
    const { status, body } = await send({}, { key: usage })
    expect([status, body.message]).toEqual([403, expect.stringContaining(`group ${group}`)])
    expect(body.fix).toContain('add_pkp_to_group')
  })

  it('that was removed, or whose right was: 401, 403', async () => {
    const { group, key: usage } = await sender([wallet.pkp_id])
    expect((await send({}, { key: usage })).status).toBe(200)
    const action = { group_id: group, action_ipfs_cid: SEND_TRANSACTION_CID }
    await origin.core('remove_action_from_group', { key, body: action })
    expect((await send({}, { key: usage })).status).toBe(403)
    await origin.core('remove_usage_api_key', { key, body: { usage_api_key: usage } })
    expect((await send({}, { key: usage })).status).toBe(401)
  })

  it('sees, cancels and speeds up only what it requested', async () => {
    const { key: usage } = await sender([wallet.pkp_id])
    const own = (await send({}, { key: usage })).body.id
    const { id: foreign } = (await send()).body
    const by = { key: usage }
    expect(idsOf(await list('', by))).toEqual([own])
    expect(idsOf(await list(`?id=${foreign}`, by))).toEqual([])
    for (const name of ['cancel', 'speed_up'] as const) {
      expect((await change(name, own, by)).status).toBe(200)
      const [hidden, absent] = [await change(name, foreign, by), await change(name, NO_ID, by)]
      expect([hidden.status, absent.status]).toEqual([404, 404])
      expect(hidden.body.message.replace(foreign, NO_ID)).toBe(absent.body.message)
    }
    expect(idsOf(await list(`?id=${own}`))).toEqual([own])
  })
})

describe('attacks', () => {
  it('another account: its IDs are not found, and its wallets cannot send', async () => {
    const { id } = (await send()).body
    const by = { key: await origin.account() }
    expect(await get(id, by)).toBeUndefined()
    for (const name of ['cancel', 'speed_up'] as const)
      expect((await change(name, id, by)).status).toBe(404)
    const { status, headers } = await send({}, by)
    expect([status, headers.get('x-svc-error')]).toEqual([404, 'wallet_does_not_exist'])
    const { key: usage } = await sender([], by.key)
    expect((await send({}, { key: usage })).status).toBe(404)
  })

  it('foreign filter: a wallet or run of another account lists nothing', async () => {
    const by = { key: await origin.account() }
    await send()
    const answer = await list(`?pkp_id=${wallet.pkp_id}`, by)
    expect([answer.body, answer.headers.get('x-total-count')]).toEqual([[], '0'])
    expect((await list('?run_id=anything', by)).body).toEqual([])
  })

  it.each(['id=%00', 'id=tx_1', 'run_id=%00'])(
    'NUL byte or malformed ID: 400 for ?%s',
    async (filter) => {
      const { status, body } = await list(`?${filter}`)
      expect([status, body.message]).toEqual([400, expect.stringContaining('id: ')])
    },
  )

  it('account key from before a conversion: 403', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.wallet(account)
    await makeChainSecured(origin, account)
    expect((await send({ pkp_id }, { key: account })).status).toBe(403)
  })

  it.each([
    ['negative amount', { value: '-1' }, 'value'],
    ['fractional amount', { value: 0.5 }, 'value'],
    ['fractional text', { value: '0.5' }, 'value'],
    ['amount in ether', { value: '1 ether' }, 'value'],
    ['2^256', { value: String(2n ** 256n) }, 'value'],
    ['number that JSON has rounded', { value: 2 ** 53 }, 'value'],
    ['fee of 0', { max_fee_per_gas: 0 }, 'max_fee_per_gas'],
    ['gas of 2^64', { gas: String(2n ** 64n) }, 'gas'],
    ['wrong checksum', { to: SUPPLIER.replace('C5', 'c5') }, 'to'],
    ['name instead of an address', { to: 'vitalik.eth' }, 'to'],
    ['half a byte', { data: '0xabc' }, 'data'],
    ['data over 64 KiB', { data: `0x${'00'.repeat(65_537)}` }, 'data'],
    ['all wallets', { pkp_id: `0x${'0'.repeat(64)}` }, 'pkp_id'],
    ['unknown chain', { chain: 'solana' }, 'chain'],
    ['chain as a URL', { chain: 'http://127.0.0.1:8545' }, 'chain'],
    ['nonce of the caller', { nonce: 7 }, 'request'],
    ['action in the name of which it is sent', { action_cid: SEND_TRANSACTION_CID }, 'request'],
  ])('%s: 400 that names the field', async (_what, fields, field) => {
    const { status, body } = await send(fields)
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(new RegExp(`\\b${field}: `)),
    ])
  })

  it.each([
    ['no recipient', { to: undefined }, 'to'],
    ['an object as the amount', { value: { wei: 1 } }, 'value'],
    ['one text of errors', { errors: 'error A()' }, 'errors'],
  ])('%s: 422', async (_what, fields, field) => {
    const { status, body } = await send(fields)
    expect([status, body.message]).toEqual([422, expect.stringContaining(`${field}: `)])
  })

  it('body over the limit: 413', async () => {
    expect((await send({ data: `0x${'00'.repeat(131_072)}` })).status).toBe(413)
  })

  it('flood: sends are limited per account, and a key without the right does not use up the limit', async () => {
    const { key: usage } = await sender([wallet.pkp_id])
    const without = await origin.usageKey(key, {})
    const transactionRate = new AccountRate({ account: 3, usageKeys: 2 }, () => 0)
    const app = createOriginApp({ ...origin.services, transactionRate })
    const statuses: number[] = []
    for (const by of [without, without, without, usage, usage, usage, key, key])
      statuses.push((await send({}, { key: by, app })).status)
    expect(statuses).toEqual([403, 403, 403, 200, 200, 429, 200, 429])
  })

  it('storage exhaustion: large data that was never paid for is limited per account, small data is not', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.wallet(account)
    const data = `0x${'ab'.repeat(2_000)}`
    const first = identified('large', account)
    const { body: rejected } = await send({ pkp_id, data }, first)
    const failed = await until(rejected.id, ({ ended_at }) => ended_at, { key: account })
    expect(failed).toMatchObject({ failure: { code: 'insufficient_funds' }, data })
    const { db } = origin.database
    const ofRejected = eq(transactions.id, rejected.id)
    const { account: largeBytes } = UNPAID_TRANSACTION_DATA_MAX_BYTES
    await db.update(transactions).set({ largeBytes }).where(ofRejected)
    const refused = await send({ pkp_id, data }, { key: account })
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringMatching(/would exceed 16 MiB, of which usage keys can use 11 MiB/),
    ])
    expect((await send({ pkp_id, data }, first)).body.id).toBe(rejected.id)
    expect((await send({ pkp_id }, { key: account })).status).toBe(200)
    // A week after its end, its data is removed, and its identity is kept.
    await db
      .update(transactions)
      .set({ endedAt: new Date(Date.now() - 8 * DAY_MS) })
      .where(ofRejected)
    await new TransactionStore({ db, processId: '', now: Date.now }).forgetOld()
    expect(await get(rejected.id, { key: account })).toEqual({
      ...failed,
      data: null,
      ended_at: expect.any(String),
    })
    expect((await send({ pkp_id, data }, first)).body).toMatchObject({
      id: rejected.id,
      data: null,
    })
    expect((await send({ pkp_id, data: '0x' }, first)).status).toBe(409)
    expect((await send({ pkp_id, data }, { key: account })).status).toBe(200)
  })
})

describe('transactions', () => {
  it('lists by filter, newest first, in pages', async () => {
    const account = await origin.account()
    const by = { key: account }
    const [one, other] = [await origin.wallet(account), await origin.wallet(account)]
    const ids: string[] = []
    for (const { pkp_id } of [one, other, one])
      ids.push((await send({ pkp_id, value: 0, gas: 21_000 }, by)).body.id)
    const newest = ids.toReversed()
    expect(idsOf(await list('', by))).toEqual(newest)
    expect(idsOf(await list(`?pkp_id=${one.wallet_address}`, by))).toEqual([ids[2], ids[0]])
    for (const chain of ['ethereum', 'Ethereum', '31337'])
      expect(idsOf(await list(`?chain=${chain}`, by))).toEqual(newest)
    const page = await list('?page_size=2&page_number=1', by)
    expect([idsOf(page), page.headers.get('x-total-count')]).toEqual([[ids[0]], '3'])
    expect(idsOf(await list('?state=final', by))).toEqual([])
    for (const query of ['?state=lost', '?chain=solana', '?pkp_id=0x12', '?page_size=201'])
      expect((await list(query, by)).status).toBe(400)
  })

  it('leaves out large data in a list, and returns it by ID', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.wallet(account)
    const data = `0x${'ab'.repeat(1_025)}`
    const { id } = (await send({ pkp_id, data }, { key: account })).body
    expect((await list('', { key: account })).body).toMatchObject([{ id, data: null }])
    expect(await get(id, { key: account })).toMatchObject({ id, data })
  })
})

describe('set_transaction_defaults', () => {
  it('replaces the defaults on a chain', async () => {
    const account = await origin.account()
    const set = (fields: object) =>
      origin.core('set_transaction_defaults', {
        key: account,
        body: { chain: 'ethereum', ...fields },
      })
    const none = { chain: 'ethereum', chain_id: 31_337, max_fee_per_gas: null, low_balance: null }
    const stored = async () =>
      (await origin.core('get_transaction_defaults', { key: account })).body
    expect(await stored()).toEqual([none])
    const limits = { max_fee_per_gas: '2000000000', low_balance: '10' }
    expect((await set(limits)).body).toEqual({ ...none, ...limits })
    expect(await stored()).toEqual([{ ...none, ...limits }])
    expect((await set({ low_balance: 7 })).body).toEqual({ ...none, low_balance: '7' })
    expect(await stored()).toEqual([{ ...none, low_balance: '7' }])
    expect((await set({ max_fee_per_gas: 0 })).status).toBe(400)
    expect((await set({ chain: 'solana' })).headers.get('x-svc-error')).toBe('unknown_chain')
  })
})

describe('get_transaction_balances', () => {
  it('returns the balance that was read before a signature, and whether it is low', async () => {
    const account = await origin.account()
    const { pkp_id } = await funded(account)
    const body = { chain: 'ethereum', low_balance: '2000000000000000000' }
    await origin.core('set_transaction_defaults', { key: account, body })
    const { id } = (await send({ pkp_id }, { key: account })).body
    await until(id, ({ ended_at }) => ended_at, { key: account })
    const balances = await origin.core(`get_transaction_balances?pkp_id=${pkp_id}`, {
      key: account,
    })
    expect(balances.body).toEqual([
      {
        chain: 'ethereum',
        chain_id: 31_337,
        balance: expect.stringMatching(/^(?:1000000000000000000|999\d{15})$/),
        low_balance: body.low_balance,
        is_low: true,
        read_at: expect.any(String),
      },
    ])
  })

  it('foreign wallet: rejects a wallet of another account', async () => {
    const { status } = await origin.core(`get_transaction_balances?pkp_id=${wallet.pkp_id}`, {
      key: await origin.account(),
    })
    expect(status).toBe(404)
  })
})

describe('transaction_chains', () => {
  it('lists names, IDs and finality, and no URLs', async () => {
    const { status, body } = await origin.core('transaction_chains', {})
    expect([status, body]).toEqual([200, [{ chain: 'ethereum', chain_id: 31_337, finality: 2 }]])
  })
})
