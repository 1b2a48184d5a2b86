import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { gasBudgets } from '../../../origin/db/schema.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
  await origin.stopChain()
})
afterAll(() => origin.close())

const CODE = 'async function main() { return 1 }'
const WRITES = [
  { name: 'new_account', body: { account_name: 'a', account_description: '' } },
  { name: 'create_wallet', body: {} },
  { name: 'add_group', body: { name: 'g' } },
  { name: 'add_usage_api_key', body: { name: 'k' } },
]
const READS = [
  { name: 'svc_action', body: { code: CODE } },
  { name: 'account_exists', body: undefined },
]

// The tests depend on this order, because the clock only moves forward.
it('without the chain, a write is 503 with Retry-After', async () => {
  for (const { name, body } of WRITES) {
    const answer = await origin.core(name, { key, body })
    expect([name, answer.status, answer.body.error]).toEqual([name, 503, 'service_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('2')
  }
})

it('drained budget: accounts that cannot be opened without the chain do not use the day’s gas', async () => {
  const { db } = origin.database
  const { now, log, keyring } = origin.services
  const ofAll = eq(gasBudgets.name, 'new_account')
  const day = new Date(now()).toISOString().slice(0, 10)
  await db.insert(gasBudgets).values({ name: 'new_account', day, spentWei: 0n, lastWei: 100n })
  const hashKey = keyring.addressHashKey()
  const rate = { burst: 100, perHour: 100 }
  // Gas for three accounts.
  const gas = { gasPerDayWei: 300n, gasPrice: async () => 0n }
  const openings = new NewAccountLimits({ db, now, log, hashKey, ...rate, ...gas })
  const app = createOriginApp({ ...origin.services, newAccountLimits: openings })
  const body = { account_name: 'a', account_description: '' }
  for (let n = 0; n < 5; n++)
    expect((await origin.core('new_account', { body, app })).status).toBe(503)
  expect((await db.select().from(gasBudgets).where(ofAll))[0]?.spentWei).toBe(0n)
})

it('without the chain, known state is served while it is fresh', async () => {
  for (const { name, body } of READS)
    expect((await origin.core(name, { key, body })).status).toBe(200)
  const health = await origin.call('/health')
  expect([health.status, health.body.status]).not.toEqual([503, 'down'])
})

it('after the staleness limit, everything that needs a permission is 503', async () => {
  origin.clock.aheadMs += 31_000
  for (const { name, body } of [...READS, ...WRITES.slice(1)]) {
    const answer = await origin.core(name, { key, body })
    expect([name, answer.status, answer.body.error]).toEqual([name, 503, 'service_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('2')
  }
  const health = await origin.call('/health')
  expect([health.status, health.headers.get('retry-after')]).toEqual([503, '2'])
  expect(health.body).toMatchObject({ status: 'down', reasons: [{ code: 'mirror_stale' }] })
})

it('an unknown key is 503 too, because it cannot be checked', async () => {
  const answer = await origin.core('svc_action', { key: 'nobody', body: { code: CODE } })
  expect(answer.status).toBe(503)
})

it('a sealed request is rejected with 503 inside the envelope', async () => {
  const answer = await origin.execute({ credential: { api_key: key }, code: CODE })
  expect(answer).toMatchObject({ state: 'refused', status: 503, retry_after_s: 2 })
})

it('requests that need no chain are still served', async () => {
  expect((await origin.core('get_svc_action_ipfs_id', { body: CODE })).status).toBe(200)
  expect((await origin.call('/get_node_chain_config')).status).toBe(200)
  expect((await origin.core('svc_action', { body: { code: CODE } })).status).toBe(401)
})
