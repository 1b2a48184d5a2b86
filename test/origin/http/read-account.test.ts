/** Usage keys with `can_read_account`, as the owner grants it and as the key experiences it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

async function holder(fields: object = { can_read_account: true }) {
  const key = await origin.account()
  const usage = await origin.usageKey(key, fields)
  const update = (changes: object, by = key) =>
    origin.core('update_usage_api_key', {
      key: by,
      body: { usage_api_key: origin.hashOf(usage), ...changes },
    })
  return { key, usage, update }
}
const statusOf = async (path: string, key: string) => (await origin.core(path, { key })).status

it('lists groups, wallets, keys and actions like the account key', async () => {
  const { key, usage } = await holder()
  await origin.core('create_wallet', { key, method: 'POST' })
  await origin.group(key, { cid_hashes_permitted: [0] })
  const other = await origin.usageKey(key, EVERY_RIGHT)
  for (const path of ['list_groups', 'list_wallets', 'list_actions', 'get_group?group_id=1']) {
    const [own, read] = await Promise.all([key, usage].map((by) => origin.core(path, { key: by })))
    expect([path, read!.status, read!.body]).toEqual([path, 200, own!.body])
  }
  const { body } = await origin.core('list_api_keys', { key: usage })
  expect(body).toMatchObject([
    { api_key_hash: origin.hashOf(usage), can_read_account: true },
    { api_key_hash: origin.hashOf(other), can_read_account: null },
  ])
  expect(JSON.stringify(body)).not.toContain(other)
})

it('sees the charges of all keys, and all transactions, but cannot cancel those of others', async () => {
  const { key, usage } = await holder()
  const { body: wallet } = await origin.core('create_wallet', { key, method: 'POST' })
  const id = await origin.transaction(key, wallet.pkp_id)
  const { body: usages } = await origin.core('billing/usage', { key: usage })
  expect(usages.map((row: { api_key_hash: string }) => row.api_key_hash)).toContain(
    origin.hashOf(key),
  )
  const { body: sent } = await origin.core('transactions', { key: usage })
  expect(sent).toMatchObject([{ id }])
  for (const path of ['cancel_transaction', 'speed_up_transaction'])
    expect((await origin.core(path, { key: usage, body: { id } })).status).toBe(404)
})

it('does not get the e-mail address of the account', async () => {
  const body = { account_name: 'with mail', account_description: '', email: 'ada@example.com' }
  const created = await origin.core('new_account', { body })
  const key = created.body.api_key
  const usage = await origin.usageKey(key, { can_read_account: true })
  const emails = [key, usage].map(
    async (by) => (await origin.core('get_account', { key: by })).body.email,
  )
  expect(await Promise.all(emails)).toEqual(['ada@example.com', null])
})

it('takes effect at once when it is granted and removed, free of charge', async () => {
  const { usage, update } = await holder({})
  expect(await statusOf('list_groups', usage)).toBe(403)
  await update({ can_read_account: true })
  expect(await statusOf('list_groups', usage)).toBe(200)
  await update({ can_read_account: false })
  expect(await statusOf('list_groups', usage)).toBe(403)
  await update({ can_read_account: true })
  await update({ remove_limits: ['can_read_account'] })
  expect(await statusOf('list_groups', usage)).toBe(403)
})

it('attack: a usage key cannot grant itself the right, whatever its permissions', async () => {
  const { usage, update } = await holder({ ...EVERY_RIGHT })
  const answer = await update({ can_read_account: true }, usage)
  expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([403, 'not_master_account'])
  expect(await statusOf('list_groups', usage)).toBe(403)
})

it('attack: it reads only the account of the key', async () => {
  const [{ usage }, other] = [await holder(), await holder()]
  await origin.group(other.key, {})
  const { body } = await origin.core('list_groups', { key: usage })
  expect(body).toEqual([])
  expect(await statusOf('get_group?group_id=1', usage)).toBe(404)
})

it('attack: a removed or expired key reads nothing', async () => {
  const { key, usage, update } = await holder()
  await update({ expires_at: new Date(origin.services.now() - 1000).toISOString() })
  expect(await statusOf('list_groups', usage)).toBe(401)
  await update({ remove_limits: ['expires_at'] })
  expect(await statusOf('list_groups', usage)).toBe(200)
  await origin.core('remove_usage_api_key', { key, body: { usage_api_key: usage } })
  expect(await statusOf('list_groups', usage)).toBe(401)
})
