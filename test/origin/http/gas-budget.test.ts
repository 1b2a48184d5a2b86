import { eq, sql } from 'drizzle-orm'
import { type TransactionReceipt, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { CONVERSION_GAS, newAccountGas } from '../../../origin/admission/free-write-gas.ts'
import type { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { gasBudgets } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'
import { conversionTo } from './chain-secured.ts'
import { from, type NewAccountsHost, startNewAccountsHost } from './new-accounts-host.ts'

let host: NewAccountsHost

beforeAll(async () => {
  host = await startNewAccountsHost()
})
afterAll(() => host.origin.close())

/** The day's row for all networks together. */
const spentOnAll = async () =>
  (
    await host.origin.database.db
      .select()
      .from(gasBudgets)
      .where(eq(gasBudgets.name, 'new_account'))
  )[0]

describe('the daily gas budget', () => {
  it('is used by the receipts of all addresses together, and is renewed the next day', async () => {
    host.nowMs = Date.parse('2026-06-01T23:00:00Z')
    // The first account costs something, and then nothing is left for a second one.
    const limited = host.appWith(host.limits(1n))
    expect((await host.open(host.freshAddress(), { at: limited })).status).toBe(200)
    const refused = await host.open(host.freshAddress(), { at: limited })
    expect([refused.status, refused.retryAfter]).toEqual([429, '3600'])
    const spent = await spentOnAll()
    expect(spent!.spentWei).toBeGreaterThan(100_000n)
    expect(spent!.lastWei).toBe(spent!.spentWei)
    host.nowMs += 3_600_000
    const enough = spent!.lastWei * 2n
    const tomorrow = host.appWith(host.limits(enough))
    expect((await host.open(host.freshAddress(), { at: tomorrow })).status).toBe(200)
  })

  it('is reserved before it is spent, so that concurrent requests do not exceed it', async () => {
    host.nowMs = Date.parse('2026-06-05T12:00:00Z')
    const spent = await spentOnAll()
    const limits = host.limits(spent!.lastWei * 4n)
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => limits.admit(host.freshAddress(), 0n)),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  })

  it('is released again if the write was not sent', async () => {
    host.nowMs = Date.parse('2026-06-06T12:00:00Z')
    const spent = await spentOnAll()
    const limits = host.limits(spent!.lastWei)
    for (let n = 0; n < 5; n++) await (await limits.admit(host.freshAddress(), 0n)).release()
    await limits.admit(host.freshAddress(), 0n)
    await expect(limits.admit(host.freshAddress(), 0n)).rejects.toThrow(
      'new accounts and conversions',
    )
  })
})

describe('the daily gas budget against a single caller', () => {
  it('drained budget: one network gets a tenth, and another can still open accounts', async () => {
    host.nowMs = Date.parse('2026-06-08T12:00:00Z')
    const spent = await spentOnAll()
    // Room for several in total, but for only one per network.
    const limited = host.appWith(host.limits(spent!.lastWei * 15n))
    const network = host.freshAddress()
    expect((await host.open(network, { at: limited })).status).toBe(200)
    const refused = await host.open(network, { at: limited })
    expect([refused.status, refused.retryAfter]).toEqual([429, '43200'])
    expect((await host.open(host.freshAddress(), { at: limited })).status).toBe(200)
  })

  it('drained budget: a rejection does not use the shares of its address and network', async () => {
    const database = await openFresh()
    const limits = host.limits(100n, { db: database.db })
    const spent = async () =>
      (await database.db.select().from(gasBudgets)).map(({ spentWei }) => spentWei)
    const [network, other] = [host.freshAddress(), host.freshAddress()]
    await (await limits.reserveGas(network, 0n)).settle(5n)
    await (await limits.reserveGas(other, 0n)).settle(95n)
    const before = await spent()
    await expect(limits.reserveGas(network, 0n)).rejects.toThrow('one address is exhausted')
    const neighbor = network.replace(/1$/, '2')
    await expect(limits.reserveGas(neighbor, 0n)).rejects.toThrow('one network is exhausted')
    const stranger = limits.reserveGas(host.freshAddress(), 0n)
    await expect(stranger).rejects.toThrow('for new accounts and conversions is exhausted')
    const after = (await spent()).filter((wei) => wei > 0n)
    expect(new Set(after)).toEqual(new Set(before))
    expect(after).toHaveLength(before.length)
    await database.close()
  })

  it('returns 429 even if the shares of the rejected write cannot be released', async () => {
    const database = await openFresh()
    const limits = host.limits(100n, { db: database.db })
    await (await limits.reserveGas(host.freshAddress(), 0n)).settle(95n)
    await database.db.execute(
      sql`CREATE FUNCTION refuse_release() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    )
    await database.db.execute(
      sql`CREATE TRIGGER no_release BEFORE UPDATE ON gas_budgets FOR EACH ROW
        WHEN (new.spent_wei < old.spent_wei) EXECUTE FUNCTION refuse_release()`,
    )
    const limited = host.appWith(host.limits(100n, { db: database.db, gasPrice: async () => 1n }))
    expect((await host.open(host.freshAddress(), { at: limited })).status).toBe(429)
    expect(host.logged.at(-1)).toMatchObject({ event: 'gas.not_given_back' })
    await database.close()
  })

  it('drained budget: free conversions use it too, and a rejected one leaves the account and its proof usable', async () => {
    host.nowMs = Date.parse('2026-06-10T12:00:00Z')
    const spent = await spentOnAll()
    const limited = host.appWith(host.limits(spent!.lastWei * 15n))
    const address = host.freshAddress()
    const keys = [await host.origin.account(), await host.origin.account()]
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
    expect((await host.open(address, { at: limited })).status).toBe(429)
    expect((await convertAt(keys[1]!, proof, limited, host.freshAddress())).status).toBe(200)
  })

  it('is deleted per network when the day is over, and the last cost is kept', async () => {
    const limits = host.limits(10n ** 18n)
    await limits.admit(host.freshAddress(), 0n)
    const before = await spentOnAll()
    host.nowMs += 2 * 24 * 3_600_000
    await limits.forgetOld()
    expect(await host.origin.database.db.select().from(gasBudgets)).toEqual([before])
  })
})

/** Limits with a budget of a million wei at a price of 1 wei, in a database of their own. */
async function withBudget(
  use: (limits: NewAccountLimits, restarted: () => NewAccountLimits) => Promise<void>,
): Promise<void> {
  const database = await openFresh()
  const options = { db: database.db, gasPrice: async () => 1n }
  try {
    await use(host.limits(1_000_000n, options), () => host.limits(1_000_000n, options))
  } finally {
    await database.close()
  }
}

/** Sends a free write that uses all of its estimated gas, or returns false if it is rejected. */
async function spends(limits: NewAccountLimits, address: string, gas: bigint): Promise<boolean> {
  const reservation = await limits.reserveGas(address, gas).catch(() => undefined)
  await reservation?.settle(gas)
  return reservation !== undefined
}

/** Sends writes from different addresses until one is rejected, and returns the number of accepted writes. */
async function spendAll(
  limits: NewAccountLimits,
  addressOf: (n: number) => string,
  gas: bigint,
): Promise<number> {
  for (let n = 0; ; n++) if (!(await spends(limits, addressOf(n), gas))) return n
}

describe('the daily gas budget against many addresses', () => {
  it('drained budget: all addresses of an IPv4 /24 together get a quarter', () =>
    withBudget(async (limits) => {
      expect(await spendAll(limits, (n) => `192.0.2.${n}`, 10_000n)).toBe(25)
      expect(await spends(limits, '192.0.3.1', 10_000n)).toBe(true)
    }))

  it('drained budget: all networks of an IPv6 /48 together get a quarter', () =>
    withBudget(async (limits) => {
      const addressOf = (n: number) => `2001:db8:1:${n.toString(16)}::1`
      expect(await spendAll(limits, addressOf, 10_000n)).toBe(25)
      expect(await spends(limits, '2001:db8:2::1', 10_000n)).toBe(true)
    }))

  it('drained budget: each further site gets a quarter of the rest, so ten sites leave a part for others', () =>
    withBudget(async (limits) => {
      const counts: number[] = []
      for (let site = 0; site < 10; site++)
        counts.push(await spendAll(limits, (n) => `198.51.${site}.${n}`, 1_000n))
      expect(counts.slice(0, 3)).toEqual([250, 187, 140])
      expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(950)
      expect(await spends(limits, host.freshAddress(), 1_000n)).toBe(true)
    }))

  it('drained budget: a burst of expensive writes cannot exceed the share before the first receipt', () =>
    withBudget(async (limits) => {
      // The cheap write would let each of the expensive ones reserve only its cost.
      await spends(limits, '192.0.2.1', 100n)
      const burst = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => limits.reserveGas(`192.0.2.${n}`, 20_000n)),
      )
      expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
    }))

  it('drained budget: a restart does not renew the share of a site', () =>
    withBudget(async (limits, restarted) => {
      expect(await spendAll(limits, (n) => `192.0.2.${n}`, 10_000n)).toBe(25)
      expect(await spends(restarted(), '192.0.2.99', 10_000n)).toBe(false)
    }))

  it('drained budget: gas reserved before midnight is not credited to the next day', () =>
    withBudget(async (limits) => {
      host.nowMs = Date.parse('2026-06-20T23:59:59Z')
      const early = await limits.reserveGas('192.0.2.1', 90_000n)
      host.nowMs += 2_000
      await spends(limits, '198.51.100.1', 90_000n)
      await early.settle(1n)
      expect(limits.gasUsedRatio).toBe(0.09)
    }))

  it('lets a site send its first write of a day even if the price exceeds its share', () =>
    withBudget(async (limits) => {
      expect(await spends(limits, '192.0.2.1', 400_000n)).toBe(true)
      expect(await spends(limits, '192.0.2.2', 400_000n)).toBe(false)
      host.nowMs += 24 * 3_600_000
      expect(await spends(limits, '192.0.2.2', 400_000n)).toBe(true)
    }))

  it('rejects a write with 503 while the gas price is unknown', async () => {
    const gasPrice = () => Promise.reject(new ContractUnavailableError('no node responds'))
    const limited = host.limits(10n ** 18n, { gasPrice })
    const at = host.appWith(limited)
    expect((await host.open(host.freshAddress(), { at })).status).toBe(503)
  })
})

describe('the estimated gas of free writes', () => {
  it.each([
    ['no texts', '', ''],
    ['31 bytes', 'n'.repeat(31), ''],
    ['32 bytes', 'n'.repeat(32), 'd'.repeat(33)],
    ['the longest texts', '🙂'.repeat(128), '🙂'.repeat(128)],
  ])('covers a new account with %s', async (_, account_name, account_description) => {
    const receipts = receiptsOf()
    const body = JSON.stringify({ account_name: account_name || 'a', account_description })
    expect((await host.open(host.freshAddress(), { body, at: receipts.app })).status).toBe(200)
    const used = receipts.all[0]!.gasUsed
    const estimate = newAccountGas(account_name || 'a', account_description)
    expect(estimate).toBeGreaterThan(used)
    expect(estimate).toBeLessThan((used * 14n) / 10n)
  })

  it('covers a conversion', async () => {
    const receipts = receiptsOf()
    const answer = await receipts.app.request(
      '/core/v1/convert_to_chain_secured_account',
      {
        method: 'POST',
        body: JSON.stringify(conversionTo(Wallet.createRandom())),
        headers: { 'content-type': 'application/json', 'x-api-key': await host.origin.account() },
      },
      from(host.freshAddress()),
    )
    expect(answer.status).toBe(200)
    const used = receipts.all[0]!.gasUsed
    expect(CONVERSION_GAS).toBeGreaterThan(used)
    expect(CONVERSION_GAS).toBeLessThan((used * 14n) / 10n)
  })
})

/** An app that records the receipts of its writes. */
function receiptsOf() {
  const all: TransactionReceipt[] = []
  const { writer } = host.origin.services
  const recording = new Proxy(writer, {
    get(target, name) {
      if (name !== 'write') {
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (...args: Parameters<typeof writer.write>) => {
        const receipt = await target.write(...args)
        all.push(receipt)
        return receipt
      }
    },
  })
  return {
    all,
    app: createOriginApp({
      ...host.origin.services,
      newAccountLimits: host.limits(),
      writer: recording,
    }),
  }
}

describe('the alert of the daily gas budget', () => {
  const alerts = () => host.logged.filter(({ event }) => event === 'gas.budget_low')

  it('is raised at 80 %, once a day, and lifted the next day', () =>
    withBudget(async (limits) => {
      host.nowMs = Date.parse('2026-07-01T12:00:00Z')
      host.logged.length = 0
      const spendSites = async (sites: number) => {
        for (let n = 0; n < sites; n++) await spends(limits, host.freshAddress(), 100_000n)
      }
      await spendSites(7)
      expect([limits.gasUsedRatio, limits.isGasBudgetLow, alerts()]).toEqual([0.7, false, []])
      await spendSites(2)
      expect([limits.gasUsedRatio, limits.isGasBudgetLow]).toEqual([0.9, true])
      const fields = { day: '2026-07-01', spent_wei: '800000', budget_wei: '1000000' }
      expect(alerts()).toEqual([{ event: 'gas.budget_low', fields }])
      host.nowMs += 24 * 3_600_000
      expect([limits.gasUsedRatio, limits.isGasBudgetLow]).toEqual([0, false])
      await spendSites(9)
      expect(alerts()).toHaveLength(2)
    }))

  it('is raised again by a restarted process, and by a process that sends no writes', () =>
    withBudget(async (limits, restarted) => {
      const idle = restarted()
      for (let n = 0; n < 9; n++) await spends(limits, host.freshAddress(), 100_000n)
      const second = restarted()
      await second.loadGasUse()
      expect(second.isGasBudgetLow).toBe(true)
      expect(idle.isGasBudgetLow).toBe(false)
      await idle.forgetOld()
      expect(idle.isGasBudgetLow).toBe(true)
    }))
})
