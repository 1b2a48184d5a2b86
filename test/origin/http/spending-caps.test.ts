/** Spending caps of usage keys, as the owner sets them and as the key experiences them. */
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { spendCaps } from '../../../origin/db/schema.ts'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { makeChainSecured } from './chain-secured.ts'
import { goingAway } from '../credits/unreliable-database.ts'
import { appWith, creditsOver } from './other-ledger.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const ECHO = 'function main(params) { return params }'
const THROWS = 'function main() { throw new Error("no") }'
const HOUR_S = 3_600

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const capOf = (cents: number | null, seconds: number | null = HOUR_S) => ({
  spend_cap_cents: cents,
  spend_window_seconds: seconds,
})

/** An account with a usage key that has every right. */
async function capped(cap: object, cents = 1_000) {
  const key = await origin.poor(cents)
  const usage = await origin.usageKey(key, { ...EVERY_RIGHT, ...cap })
  const group = await origin.group(key, { cid_hashes_permitted: [0] })
  const update = (changes: object, by = key) =>
    origin.core('update_usage_api_key', {
      key: by,
      body: { usage_api_key: origin.hashOf(usage), ...changes },
    })
  return { key, usage, group, update, hash: origin.hashOf(usage) }
}

/** Counts the results of `count` runs at once. */
async function runs(key: string, count: number, code = ECHO) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => origin.run(key, code, { n })),
  )
  const ended: Record<string, number> = {}
  for (const { status, body } of answers) {
    const how = status === 402 ? `402 ${body.reason}` : String(status)
    ended[how] = (ended[how] ?? 0) + 1
  }
  return ended
}

async function listed(key: string, hash: string) {
  const { body } = await origin.core('list_api_keys', { key })
  const found = body.find((row: any) => row.api_key_hash === hash)
  const { spend_cap_cents, spend_window_seconds, spent_cents } = found
  return [spend_cap_cents, spend_window_seconds, spent_cents]
}

const storedCaps = async (key: string, hash?: string) => {
  const ofAccount = eq(spendCaps.accountHash, origin.hashOf(key))
  const which = hash === undefined ? ofAccount : and(ofAccount, eq(spendCaps.keyHash, hash))
  return (await origin.database.db.select().from(spendCaps).where(which)).length
}

const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents

/** Number of transactions that the service's payers have sent. */
async function sent(): Promise<number> {
  const { chain, keyring } = origin.services
  const payers = [1, 2].map((number) => addressFromPrivateKey(keyring.payerKey(number)))
  const counts = payers.map((payer) => chain.provider.getTransactionCount(payer))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

describe('a key with a cap', () => {
  it('completes three of ten runs at once under a cap of three cents, and the others are 402', async () => {
    const { key, usage, hash } = await capped(capOf(3))
    expect(await runs(usage, 10)).toEqual({ '200': 3, '402 spend_cap_reached': 7 })
    expect(await listed(key, hash)).toEqual([3, HOUR_S, 3])
  })

  it('gets an error that states the cap and what to do about it', async () => {
    const { usage } = await capped(capOf(0))
    const { status, body } = await origin.run(usage, ECHO)
    expect([status, body.reason]).toEqual([402, 'spend_cap_reached'])
    expect(body.message).toContain('$0.01')
    expect(body.fix).toContain('update_usage_api_key')
  })

  it('limits no other key: neither the account key nor another usage key', async () => {
    const { key, usage } = await capped(capOf(1))
    const other = await origin.usageKey(key, EVERY_RIGHT)
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
    expect(await runs(other, 3)).toEqual({ '200': 3 })
    expect(await runs(key, 3)).toEqual({ '200': 3 })
  })

  it('pays for its writes from the cap as well', async () => {
    const { usage, key, hash } = await capped(capOf(2))
    const wallet = () => origin.core('create_wallet', { key: usage, method: 'POST' })
    expect((await wallet()).status).toBe(200)
    expect(await runs(usage, 1)).toEqual({ '200': 1 })
    const { status, body } = await wallet()
    expect([status, body.reason]).toEqual([402, 'spend_cap_reached'])
    expect(await listed(key, hash)).toEqual([2, HOUR_S, 2])
    expect((await origin.core('list_wallets', { key })).body).toHaveLength(1)
  })

  it('spends nothing on what fails', async () => {
    const { usage } = await capped(capOf(1))
    expect(await runs(usage, 1, THROWS)).toEqual({ '500': 1 })
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
  })
})

describe('a changed cap', () => {
  it('applies as soon as it is lowered below the spent amount', async () => {
    const { key, usage, update, hash } = await capped(capOf(10))
    expect(await runs(usage, 3)).toEqual({ '200': 3 })
    expect((await update(capOf(2))).status).toBe(200)
    expect(await runs(usage, 3)).toEqual({ '402 spend_cap_reached': 3 })
    expect(await listed(key, hash)).toEqual([2, HOUR_S, 3])
  })

  it('includes earlier spending', async () => {
    const { usage, update } = await capped({})
    expect(await runs(usage, 4)).toEqual({ '200': 4 })
    expect((await update(capOf(5))).status).toBe(200)
    expect(await runs(usage, 3)).toEqual({ '200': 1, '402 spend_cap_reached': 2 })
  })

  it('lets the key continue when it is raised', async () => {
    const { usage, update } = await capped(capOf(1))
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
    expect((await update(capOf(3))).status).toBe(200)
    expect(await runs(usage, 3)).toEqual({ '200': 2, '402 spend_cap_reached': 1 })
  })

  it('is removed by remove_spend_cap, as the list shows', async () => {
    const { key, usage, update, hash } = await capped(capOf(1))
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
    expect((await update({ remove_spend_cap: true })).status).toBe(200)
    expect(await runs(usage, 4)).toEqual({ '200': 4 })
    expect(await listed(key, hash)).toEqual([null, null, null])
  })

  it('generated client: is not removed by nulls in an update of the name', async () => {
    const { key, update, hash } = await capped(capOf(3))
    const nulls = { ...capOf(null, null), remove_spend_cap: null, execute_in_groups: null }
    expect((await update({ name: 'renamed', ...nulls })).status).toBe(200)
    expect(await listed(key, hash)).toEqual([3, HOUR_S, 0])
    const { status, body } = await update(nulls)
    expect([status, body.message]).toEqual([422, expect.stringContaining('remove_spend_cap')])
  })

  it('is free of charge and sends no transaction if nothing else is changed', async () => {
    const { key, update, hash } = await capped({}, 50)
    const before = [await balanceOf(key), await sent()]
    expect((await update(capOf(7))).body).toEqual({ success: true })
    expect([await balanceOf(key), await sent()]).toEqual(before)
    expect(await listed(key, hash)).toEqual([7, HOUR_S, 0])
  })

  it('can be set by an account without credit', async () => {
    const { update } = await capped({}, 2)
    expect((await update(capOf(7))).status).toBe(200)
  })

  it('costs a cent together with a change on the chain', async () => {
    const { key, update, hash } = await capped({}, 50)
    const [cents, transactions] = [await balanceOf(key), await sent()]
    expect((await update({ name: 'renamed', ...capOf(7) })).status).toBe(200)
    expect([await balanceOf(key), await sent()]).toEqual([cents - 1, transactions + 1])
    expect(await listed(key, hash)).toEqual([7, HOUR_S, 0])
  })

  it('is reported separately if the ledger becomes unavailable between it and the rest of a change', async () => {
    const { key, hash } = await capped({}, 50)
    const ledger = goingAway(origin.database.db)
    const app = appWith(origin, creditsOver(origin, ledger.db))
    const update = (changes: object) =>
      origin.core('update_usage_api_key', { key, app, body: { usage_api_key: hash, ...changes } })
    expect((await update({ name: 'before' })).status).toBe(200)
    ledger.isAway = true
    const { status, headers, body } = await update({ name: 'after', ...capOf(7) })
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(body.message).toContain('The key was changed')
    const { body: rows } = await origin.core('list_api_keys', { key })
    expect(rows).toContainEqual(expect.objectContaining({ api_key_hash: hash, name: 'after' }))
    ledger.isAway = false
    expect((await update(capOf(7))).status).toBe(200)
    expect(await listed(key, hash)).toEqual([7, HOUR_S, 0])
  })

  it('is unaffected if something else about the key is changed', async () => {
    const { key, update, hash } = await capped(capOf(4))
    expect((await update({ description: 'other' })).status).toBe(200)
    expect(await listed(key, hash)).toEqual([4, HOUR_S, 0])
  })

  it('survives a rotation of the account key', async () => {
    const { key, usage, hash } = await capped(capOf(2))
    expect(await runs(usage, 1)).toEqual({ '200': 1 })
    const rotated = await origin.core('rotate_account_api_key', { key, method: 'POST' })
    const renewed: string = rotated.body.api_key
    expect(await listed(renewed, hash)).toEqual([2, HOUR_S, 1])
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
    const body = { usage_api_key: hash, ...capOf(3) }
    const raised = await origin.core('update_usage_api_key', { key: renewed, body })
    expect(raised.status).toBe(200)
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
  })

  it('is 404 for a key that the account does not have, and nothing is stored', async () => {
    const { key } = await capped({})
    const { hash } = await capped({})
    const body = { usage_api_key: hash, ...capOf(3) }
    expect((await origin.core('update_usage_api_key', { key, body })).status).toBe(404)
    expect(await storedCaps(key)).toBe(0)
  })
})

describe('attack', () => {
  it('raising one’s own cap: a usage key with every right cannot do it, nor create a key without a cap', async () => {
    const { key, usage, update, hash } = await capped(capOf(1))
    for (const changes of [capOf(1_000), { remove_spend_cap: true }]) {
      const { status, headers } = await update(changes, usage)
      expect([status, headers.get('x-svc-error')]).toEqual([403, 'not_master_account'])
    }
    const body = { name: 'free', ...EVERY_RIGHT }
    expect((await origin.core('add_usage_api_key', { key: usage, body })).status).toBe(403)
    expect(await listed(key, hash)).toEqual([1, HOUR_S, 0])
    expect(await runs(usage, 2)).toEqual({ '200': 1, '402 spend_cap_reached': 1 })
  })

  it('raising one’s own cap: two names for the same field must agree', async () => {
    const { key, hash } = await capped(capOf(1))
    const other = await capped(capOf(1))
    const body = { usage_api_key: hash, api_key_hash: other.hash, ...capOf(9) }
    expect((await origin.core('update_usage_api_key', { key, body })).status).toBe(400)
  })

  it('capping somebody else’s key: the key of another account is treated as unknown', async () => {
    const victim = await capped({})
    const attacker = await origin.poor(10)
    const body = { usage_api_key: victim.hash, ...capOf(0) }
    expect((await origin.core('update_usage_api_key', { key: attacker, body })).status).toBe(404)
    expect(await runs(victim.usage, 1)).toEqual({ '200': 1 })
  })
})

it('the old key of an account that became ChainSecured cannot set a cap', async () => {
  const { key, update } = await capped({})
  await makeChainSecured(origin, key)
  expect((await update(capOf(1))).status).toBe(403)
  expect(await storedCaps(key)).toBe(0)
})

describe('a key that is created with a cap', () => {
  const add = (key: string, cap: object, more: object = {}) =>
    origin.core('add_usage_api_key', { key, body: { name: 'k', ...cap }, ...more })

  it('has the cap before it is on the chain, so it is never without one', async () => {
    const key = await origin.poor(10)
    const seen: number[] = []
    const writer = Object.create(origin.services.writer)
    writer.write = async (name: string, args: [unknown, string], options: never) => {
      seen.push(await storedCaps(key, args[1]))
      return origin.services.writer.write(name, args, options)
    }
    const app = createOriginApp({ ...origin.services, writer })
    expect((await add(key, capOf(5), { app })).status).toBe(200)
    expect(seen).toEqual([1])
  })

  it('has no cap if the field is null or missing', async () => {
    const key = await origin.poor(10)
    for (const cap of [{}, { spend_cap_cents: null }, capOf(null, null)]) {
      const { body } = await add(key, cap)
      expect(await listed(key, body.usage_api_key_hash)).toEqual([null, null, null])
    }
    expect(await storedCaps(key)).toBe(0)
  })

  it('leaves no cap if the contract rejects it, however often it is tried', async () => {
    const key = await origin.poor(10)
    const taken = new ContractRevertError('UsageApiKeyAlreadyExists', [])
    const app = origin.appThatCannotWrite(taken)
    expect((await add(key, capOf(5), { app })).status).toBe(409)
    expect(await storedCaps(key)).toBe(0)
  })

  it('keeps its cap if its creation is in doubt, because it may be in a block later', async () => {
    const key = await origin.poor(10)
    const app = origin.appThatCannotWrite(new ContractUnavailableError('it does not answer'))
    expect((await add(key, capOf(5), { app })).status).toBe(503)
    expect(await storedCaps(key)).toBe(1)
  })

  it('is created once under an Idempotency-Key, with one cap', async () => {
    const key = await origin.poor(10)
    const headers = { 'idempotency-key': 'capped' }
    const first = await add(key, capOf(5), { headers })
    const again = await add(key, capOf(5), { headers })
    expect([first.status, again.status, again.body.error]).toEqual([200, 409, 'key_shown_before'])
    expect(await storedCaps(key)).toBe(1)
    expect(await listed(key, first.body.usage_api_key_hash)).toEqual([5, HOUR_S, 0])
  })

  it('loses its cap when it is removed', async () => {
    const { key, usage, hash } = await capped(capOf(5))
    expect(await storedCaps(key, hash)).toBe(1)
    const body = { usage_api_key: usage }
    expect((await origin.core('remove_usage_api_key', { key, body })).status).toBe(200)
    await vi.waitFor(async () => expect(await storedCaps(key, hash)).toBe(0), 20_000)
  })
})

describe('an incomplete or invalid cap', () => {
  it.each([
    [{ spend_cap_cents: 5 }, 422, 'spend_window_seconds'],
    [{ spend_window_seconds: 60 }, 422, 'spend_cap_cents'],
    [capOf(5, null), 422, 'spend_window_seconds'],
    [capOf(null, 60), 422, 'spend_cap_cents'],
    [capOf(-1), 400, 'spend_cap_cents'],
    [capOf(1.5), 400, 'spend_cap_cents'],
    [capOf(100_000_001), 400, 'spend_cap_cents'],
    [capOf(5, 59), 400, 'spend_window_seconds'],
    [capOf(5, 31_622_401), 400, 'spend_window_seconds'],
    [{ spend_cap_cents: '5', spend_window_seconds: 60 }, 422, 'spend_cap_cents'],
    [{ spend_cap_cents: 5, spend_window_seconds: '60' }, 422, 'spend_window_seconds'],
  ])('%j is %i, and names %s', async (cap, status, field) => {
    const key = await origin.poor(0)
    for (const [path, body] of [
      ['add_usage_api_key', { name: 'k', ...cap }],
      ['update_usage_api_key', { usage_api_key: 'some', ...cap }],
    ] as const) {
      const answer = await origin.core(path, { key, body })
      const named = String(answer.body.message).split(':')[0]
      expect([path, answer.status, named]).toEqual([path, status, field])
    }
  })

  it.each([capOf(0, 60), capOf(100_000_000, 31_622_400)])('but %j is accepted', async (cap) => {
    const { key, update, hash } = await capped({})
    expect((await update(cap)).status).toBe(200)
    expect(await listed(key, hash)).toEqual([cap.spend_cap_cents, cap.spend_window_seconds, 0])
  })
})
