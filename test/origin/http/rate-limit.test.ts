import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../origin/db/open.ts'
import { callRates } from '../../../origin/db/schema.ts'
import { freshDatabase, openFresh } from '../db/fresh-database.ts'
import {
  ACCOUNT,
  BURST,
  HASH_KEY,
  type NewAccountsHost,
  startNewAccountsHost,
} from './new-accounts-host.ts'

let host: NewAccountsHost

beforeAll(async () => {
  host = await startNewAccountsHost()
})
afterAll(() => host.origin.close())

async function useUp(address: string, at = host.app): Promise<void> {
  for (let n = 0; n < BURST; n++) expect((await host.open(address, { at })).status).toBe(200)
  expect((await host.open(address, { at })).status).toBe(429)
}

describe('new_account', () => {
  it('allows a burst from one address, then returns 429 with a retry time, and allows one more after it', async () => {
    const address = host.freshAddress()
    await useUp(address)
    const refused = await host.open(address)
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests'])
    expect(refused.retryAfter).toBe('10')
    host.nowMs += 9_000
    expect((await host.open(address)).retryAfter).toBe('1')
    host.nowMs += 1_000
    expect((await host.open(address)).status).toBe(200)
    expect((await host.open(address)).status).toBe(429)
  })

  it('lets another address open accounts while one is limited', async () => {
    await useUp(host.freshAddress())
    expect((await host.open(host.freshAddress())).status).toBe(200)
  })

  it('does not count requests that were 400 or 422', async () => {
    const address = host.freshAddress()
    for (let n = 0; n < BURST * 2; n++) {
      expect((await host.open(address, { body: '{' })).status).toBe(400)
      expect((await host.open(address, { body: '{}' })).status).toBe(422)
    }
    expect((await host.open(address)).status).toBe(200)
  })

  it('returns 503 while the database is unavailable, and opens nothing', async () => {
    const database = await openFresh()
    await database.close()
    const broken = host.limits(undefined, { db: database.db })
    const before = host.origin.services.mirror.current().size
    const answer = await host.open(host.freshAddress(), {
      at: host.appWith(broken),
    })
    expect(answer.status).toBe(503)
    expect(host.origin.services.mirror.current().size).toBe(before)
  })
})

describe('bypassing the limit', () => {
  it('fails with headers that name another address', async () => {
    const address = host.freshAddress()
    await useUp(address)
    for (const name of [
      'x-forwarded-for',
      'x-real-ip',
      'cf-connecting-ip',
      'forwarded',
      'true-client-ip',
    ]) {
      const headers = { [name]: host.freshAddress() }
      expect((await host.open(address, { headers })).status).toBe(429)
    }
  })

  it('fails with other addresses of the same IPv6 network', async () => {
    await useUp('2001:db8:1:2::1')
    expect((await host.open('2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await host.open('2001:db8:1:3::1')).status).toBe(200)
  })

  it('fails with an IPv4 address written as IPv6', async () => {
    const address = host.freshAddress()
    await useUp(address)
    expect((await host.open(`::ffff:${address}`)).status).toBe(429)
  })

  it('gets no more than the burst with fifty requests at once', async () => {
    const address = host.freshAddress()
    const all = await Promise.all(Array.from({ length: 50 }, () => host.open(address)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(BURST)
  })

  it('fails at another process', async () => {
    const address = host.freshAddress()
    await useUp(address)
    const other = host.appWith(host.limits())
    expect((await host.open(address, { at: other })).status).toBe(429)
  })

  it('fails on a real connection, which is identified by its socket', async () => {
    const local = host.appWith(host.limits(undefined, { hashKey: HASH_KEY.map(() => 9) }))
    const listening = Promise.withResolvers<AddressInfo>()
    const server = serve(
      { fetch: local.fetch, port: 0, hostname: '127.0.0.1', createServer },
      listening.resolve,
    )
    const { port } = await listening.promise
    const statuses: number[] = []
    for (let n = 0; n <= BURST; n++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': host.freshAddress() }
      const url = `http://127.0.0.1:${port}/core/v1/new_account`
      statuses.push((await fetch(url, { method: 'POST', headers, body: ACCOUNT })).status)
    }
    server.close()
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('the database', () => {
  it('contains no client address', async () => {
    await host.open('203.0.113.77')
    const rows = await host.origin.database.db.select().from(callRates)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('203.0.113')
  })

  it('deletes a caller once its burst is restored', async () => {
    const limits = host.limits()
    await limits.admit(host.freshAddress(), 0n)
    host.nowMs += 3_600_000
    await limits.forgetOld()
    const rows = await host.origin.database.db.select().from(callRates)
    expect(rows).toEqual([])
  })
})

describe('on Postgres', () => {
  it('a hundred calls at four processes at once are limited to the burst', async () => {
    const postgres = await freshDatabase()
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ url: postgres.url })),
    )
    const rate = { burst: 5, perHour: 5 }
    const all = databases.map(({ db }) => host.limits(10n ** 18n, { db, ...rate }))
    const tries = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => all[n % 4]!.admit('192.0.2.1', 0n)),
    )
    await Promise.all(databases.map((database) => database.close()))
    await postgres.drop()
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })
})
