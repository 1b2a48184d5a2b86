import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { eq } from 'drizzle-orm'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import { createOriginApp } from '../../../origin/app.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { callRates, gasBudgets } from '../../../origin/db/schema.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { freshDatabase } from '../db/fresh-database.ts'
import { conversionTo } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { openFresh } from '../db/fresh-database.ts'

const BURST = 3
/** One every ten seconds. */
const PER_HOUR = 360
const HASH_KEY = new Uint8Array(32).fill(7)
const ACCOUNT = JSON.stringify({ account_name: 'a', account_description: '' })

let origin: TestOrigin
let app: OriginApp
let nowMs = Date.parse('2026-05-22T23:00:00Z')
let next = 0

const openings = (gasPerDayWei?: bigint, hashKey = HASH_KEY) =>
  new NewAccountLimits({
    db: origin.database.db,
    now: () => nowMs,
    hashKey,
    burst: BURST,
    perHour: PER_HOUR,
    gasPerDayWei,
  })

beforeAll(async () => {
  origin = await startOrigin()
  app = createOriginApp({ ...origin.services, newAccountLimits: openings() })
})
afterAll(() => origin.close())

/** Bindings that Node's server passes to the app for a connection from this address. */
const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })
const freshAddress = () => `10.0.${Math.floor(next / 250)}.${(next++ % 250) + 1}`

async function open(
  address: string,
  options: { body?: string; headers?: object; at?: OriginApp } = {},
) {
  const { body = ACCOUNT, headers = {}, at = app } = options
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
  const answer = await at.request('/core/v1/new_account', init, from(address))
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as { error?: string },
  }
}

/** The day's row for all networks together. */
const spentOnAll = async () =>
  (await origin.database.db.select().from(gasBudgets).where(eq(gasBudgets.name, 'new_account')))[0]

async function useUp(address: string, at = app): Promise<void> {
  for (let n = 0; n < BURST; n++) expect((await open(address, { at })).status).toBe(200)
  expect((await open(address, { at })).status).toBe(429)
}

describe('new_account', () => {
  it('allows a burst from one address, then returns 429 with a retry time, and allows one more after it', async () => {
    const address = freshAddress()
    await useUp(address)
    const refused = await open(address)
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests'])
    expect(refused.retryAfter).toBe('10')
    nowMs += 9_000
    expect((await open(address)).retryAfter).toBe('1')
    nowMs += 1_000
    expect((await open(address)).status).toBe(200)
    expect((await open(address)).status).toBe(429)
  })

  it('lets another address open accounts while one is limited', async () => {
    await useUp(freshAddress())
    expect((await open(freshAddress())).status).toBe(200)
  })

  it('does not count requests that were 400 or 422', async () => {
    const address = freshAddress()
    for (let n = 0; n < BURST * 2; n++) {
      expect((await open(address, { body: '{' })).status).toBe(400)
      expect((await open(address, { body: '{}' })).status).toBe(422)
    }
    expect((await open(address)).status).toBe(200)
  })

  it('returns 503 while the database is unavailable, and opens nothing', async () => {
    const database = await openFresh()
    await database.close()
    const broken = new NewAccountLimits({
      db: database.db,
      now: () => nowMs,
      hashKey: HASH_KEY,
      burst: 1,
      perHour: 1,
      gasPerDayWei: undefined,
    })
    const before = origin.services.mirror.current().size
    const answer = await open(freshAddress(), {
      at: createOriginApp({ ...origin.services, newAccountLimits: broken }),
    })
    expect(answer.status).toBe(503)
    expect(origin.services.mirror.current().size).toBe(before)
  })
})

describe('bypassing the limit', () => {
  it('fails with headers that name another address', async () => {
    const address = freshAddress()
    await useUp(address)
    for (const name of [
      'x-forwarded-for',
      'x-real-ip',
      'cf-connecting-ip',
      'forwarded',
      'true-client-ip',
    ]) {
      const headers = { [name]: freshAddress() }
      expect((await open(address, { headers })).status).toBe(429)
    }
  })

  it('fails with other addresses of the same IPv6 network', async () => {
    await useUp('2001:db8:1:2::1')
    expect((await open('2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await open('2001:db8:1:3::1')).status).toBe(200)
  })

  it('fails with an IPv4 address written as IPv6', async () => {
    const address = freshAddress()
    await useUp(address)
    expect((await open(`::ffff:${address}`)).status).toBe(429)
  })

  it('gets no more than the burst with fifty requests at once', async () => {
    const address = freshAddress()
    const all = await Promise.all(Array.from({ length: 50 }, () => open(address)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(BURST)
  })

  it('fails at another process', async () => {
    const address = freshAddress()
    await useUp(address)
    const other = createOriginApp({ ...origin.services, newAccountLimits: openings() })
    expect((await open(address, { at: other })).status).toBe(429)
  })

  it('fails on a real connection, which is identified by its socket', async () => {
    const local = createOriginApp({
      ...origin.services,
      newAccountLimits: openings(
        undefined,
        HASH_KEY.map(() => 9),
      ),
    })
    const listening = Promise.withResolvers<AddressInfo>()
    const server = serve(
      { fetch: local.fetch, port: 0, hostname: '127.0.0.1', createServer },
      listening.resolve,
    )
    const { port } = await listening.promise
    const statuses: number[] = []
    for (let n = 0; n <= BURST; n++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() }
      const url = `http://127.0.0.1:${port}/core/v1/new_account`
      statuses.push((await fetch(url, { method: 'POST', headers, body: ACCOUNT })).status)
    }
    server.close()
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('the database', () => {
  it('contains no client address', async () => {
    await open('203.0.113.77')
    const rows = await origin.database.db.select().from(callRates)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('203.0.113')
  })

  it('deletes a caller once its burst is restored', async () => {
    const limits = openings()
    await limits.admit(freshAddress())
    nowMs += 3_600_000
    await limits.forgetOld()
    const rows = await origin.database.db.select().from(callRates)
    expect(rows).toEqual([])
  })
})

describe('the daily gas budget', () => {
  it('is used by the receipts of all addresses together, and is renewed the next day', async () => {
    nowMs = Date.parse('2026-06-01T23:00:00Z')
    // The first account costs something, and then nothing is left for a second one.
    const limited = createOriginApp({ ...origin.services, newAccountLimits: openings(1n) })
    expect((await open(freshAddress(), { at: limited })).status).toBe(200)
    const refused = await open(freshAddress(), { at: limited })
    expect([refused.status, refused.retryAfter]).toEqual([429, '3600'])
    const spent = await spentOnAll()
    expect(spent!.spentWei).toBeGreaterThan(100_000n)
    expect(spent!.lastWei).toBe(spent!.spentWei)
    nowMs += 3_600_000
    const enough = spent!.lastWei * 2n
    const tomorrow = createOriginApp({ ...origin.services, newAccountLimits: openings(enough) })
    expect((await open(freshAddress(), { at: tomorrow })).status).toBe(200)
  })

  it('is reserved before it is spent, so that concurrent requests do not exceed it', async () => {
    nowMs = Date.parse('2026-06-05T12:00:00Z')
    const spent = await spentOnAll()
    const limits = openings(spent!.lastWei * 4n)
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => limits.admit(freshAddress())),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  })

  it('is released again if the write was not sent', async () => {
    nowMs = Date.parse('2026-06-06T12:00:00Z')
    const spent = await spentOnAll()
    const limits = openings(spent!.lastWei)
    for (let n = 0; n < 5; n++) await (await limits.admit(freshAddress())).release()
    await limits.admit(freshAddress())
    await expect(limits.admit(freshAddress())).rejects.toThrow('new accounts and conversions')
  })
})

describe('the daily gas budget against a single caller', () => {
  it('drained budget: one network gets a tenth, and another can still open accounts', async () => {
    nowMs = Date.parse('2026-06-08T12:00:00Z')
    const spent = await spentOnAll()
    // Room for several in total, but for only one per network.
    const limited = createOriginApp({
      ...origin.services,
      newAccountLimits: openings(spent!.lastWei * 15n),
    })
    const network = freshAddress()
    expect((await open(network, { at: limited })).status).toBe(200)
    const refused = await open(network, { at: limited })
    expect([refused.status, refused.retryAfter]).toEqual([429, '43200'])
    expect((await open(freshAddress(), { at: limited })).status).toBe(200)
  })

  it('drained budget: a rejection does not use the share of its network', async () => {
    const database = await openFresh()
    const limits = new NewAccountLimits({
      db: database.db,
      now: () => nowMs,
      hashKey: HASH_KEY,
      burst: 1,
      perHour: 1,
      gasPerDayWei: 100n,
    })
    const [network, other] = [freshAddress(), freshAddress()]
    await (await limits.reserveGas(network)).settle(5n)
    await (await limits.reserveGas(other)).settle(95n)
    // The share of the network has room for one more of 5 wei.
    for (let times = 0; times < 2; times++)
      await expect(limits.reserveGas(network)).rejects.toThrow(
        'for new accounts and conversions is exhausted',
      )
    await database.close()
  })

  it('drained budget: free conversions use it too, and a rejected one leaves the account and its proof usable', async () => {
    nowMs = Date.parse('2026-06-10T12:00:00Z')
    const spent = await spentOnAll()
    const limited = createOriginApp({
      ...origin.services,
      newAccountLimits: openings(spent!.lastWei * 15n),
    })
    const address = freshAddress()
    const keys = [await origin.account(), await origin.account()]
    const proof = conversionTo(Wallet.createRandom())
    const convertAt = (key: string, body: object, at = limited, client = address) =>
      at.request(
        '/core/v1/convert_to_chain_secured_account',
        {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', 'x-api-key': key },
        },
        from(client),
      )
    const first = await convertAt(keys[0]!, conversionTo(Wallet.createRandom()))
    expect(first.status).toBe(200)
    expect((await spentOnAll())!.spentWei).toBeGreaterThan(0n)
    const refused = await convertAt(keys[1]!, proof)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '43200'])
    expect((await open(address, { at: limited })).status).toBe(429)
    expect((await convertAt(keys[1]!, proof, limited, freshAddress())).status).toBe(200)
  })

  it('is deleted per network when the day is over, and the last cost is kept', async () => {
    const limits = openings(10n ** 18n)
    await limits.admit(freshAddress())
    const before = await spentOnAll()
    nowMs += 2 * 24 * 3_600_000
    await limits.forgetOld()
    expect(await origin.database.db.select().from(gasBudgets)).toEqual([before])
  })
})

describe('on Postgres', () => {
  it('a hundred calls at four processes at once are limited to the burst', async () => {
    const postgres = await freshDatabase()
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ url: postgres.url })),
    )
    const all = databases.map(
      ({ db }) =>
        new NewAccountLimits({
          db,
          now: () => nowMs,
          hashKey: HASH_KEY,
          burst: 5,
          perHour: 5,
          gasPerDayWei: 10n ** 18n,
        }),
    )
    const tries = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => all[n % 4]!.admit('192.0.2.1')),
    )
    await Promise.all(databases.map((database) => database.close()))
    await postgres.drop()
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })
})

describe('the network of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
    ['unix', ''],
    ['192.0.2.256', ''],
    ['192.0.2.01', ''],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['::ffff:192.0.2.1.1', ''],
    ['2001:db8::1::2', ''],
    ['2001:db8:1:2:3:4:5:6:7', ''],
    ['1:2:3:4:5:6:7::8', ''],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['2001:db8::12345', ''],
    ['2001:db8::g', ''],
  ])('of %j is %j', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })
})
