import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import { UNPAID_MS } from '../../../../origin/credits/processor/poll-schedule.ts'
import { ProcessorUnavailableError } from '../../../../origin/credits/processor/processor.ts'
import { TooManyPaymentsError } from '../../../../origin/credits/processor/payment-query-rate.ts'
import type { OpenDatabase } from '../../../../origin/db/open.ts'
import { payments as paymentsTable } from '../../../../origin/db/schema.ts'
import { DatabaseUnavailableError } from '../../../../origin/db/database-unavailable.ts'
import { type ProcessorDouble, startProcessor } from '../../../doubles/processor/server.ts'
import { onSharedDatabase } from '../../db/shared-database.ts'
import { booksOf, newAccount } from '../process.ts'
import { clientOf, paymentsOf } from './paying.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let double: ProcessorDouble
beforeEach(async () => {
  double = await startProcessor()
})
afterEach(() => double.close())

/** A database that fails from its n-th use on, either before the statement or after its commit. */
function failing(db: OpenDatabase['db'], { from, after }: { from: number; after: boolean }) {
  let uses = 0
  return new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'transaction') {
        uses += 1
        if (uses >= from) throw new Error('connection refused')
        return value.bind(target)
      }
      return async (work: never) => {
        uses += 1
        if (uses >= from && !after) throw new Error('connection refused')
        const answer = await target.transaction(work)
        if (uses >= from) throw new Error('the connection broke after the commit')
        return answer
      }
    },
  })
}

function paymentsHold(open: () => OpenDatabase): void {
  const db = () => open().db
  let account = ''
  let clock = { at: 0 }
  beforeEach(async () => {
    account = newAccount()
    clock = { at: Date.UTC(2026, 0, 1) }
    await db().delete(paymentsTable)
  })
  const shop = () => paymentsOf(double, db(), { clock })
  const rowOf = async (intentId: string) =>
    (await db().select().from(paymentsTable).where(eq(paymentsTable.intentId, intentId)))[0]
  const balance = async () => (await booksOf(db(), account)).balance

  describe('creating a payment', () => {
    it('returns what the client library needs, and stores the payment', async () => {
      const { intentId, clientSecret } = await shop().begin(account, 700)
      expect(double.records.intent(intentId).client_secret).toBe(clientSecret)
      expect(await rowOf(intentId)).toMatchObject({
        accountHash: account,
        amountCents: 700,
        state: 'open',
      })
    })

    it('creates one payment under one ID, at any process', async () => {
      const asked = { accountHash: account, amountCents: 500, writeId: 'one' }
      const made = await Promise.all([1, 2, 3].map(() => shop().payments.create(asked)))
      expect(new Set(made.map(({ intentId }) => intentId)).size).toBe(1)
      expect(double.records.customers.size).toBe(1)
    })

    it('always uses the customer of the account’s first payment', async () => {
      await shop().begin(account)
      double.idempotencyKeys.forget()
      await shop().begin(account)
      expect(double.records.customers.size).toBe(1)
      expect(
        new Set([...double.records.intents.values()].map(({ customer }) => customer)).size,
      ).toBe(1)
    })

    it('creates another customer if the processor has deleted the first one', async () => {
      await shop().begin(account)
      const [first] = [...double.records.customers.values()]
      first!.deleted = true
      const { intentId } = await shop().begin(account)
      const second = double.records.intent(intentId).customer
      expect(second).not.toBe(first!.id)
      const next = await shop().begin(account)
      expect(double.records.intent(next.intentId).customer).toBe(second)
    })

    it.each([1, 2, 3, 4, 5, 6, 7])(
      'fails with 503 if the database fails at use %i, and returns the same payment when retried',
      async (from) => {
        const asked = { accountHash: account, amountCents: 500, writeId: account }
        const broken = paymentsOf(double, failing(db(), { from, after: false }), { clock })
        const first = await broken.payments.create(asked).catch((error: unknown) => error)
        if (from < 7) expect(first).toBeInstanceOf(DatabaseUnavailableError)
        const { intentId } = await shop().payments.create(asked)
        expect(double.records.intents.size).toBe(1)
        double.paying.byCard(intentId)
        await shop().payments.reconcile(intentId)
        expect(await balance()).toBe(500)
      },
    )

    it('flood: rejects further payments after thirty unpaid ones within an hour', async () => {
      const { begin } = shop()
      for (let n = 0; n < 30; n++) await begin(account)
      await expect(begin(account)).rejects.toThrow(TooManyPaymentsError)
      await begin(newAccount())
      clock.at += HOUR_MS + 1
      await begin(account)
    })

    it('flood: rejects further payments after two hundred unpaid ones within a week', async () => {
      const { begin } = shop()
      for (let n = 0; n < 200; n++) {
        await begin(account)
        clock.at += HOUR_MS / 2
      }
      await expect(begin(account)).rejects.toThrow('from the last week')
      const { intentId } = await begin(newAccount())
      expect(intentId).toMatch(/^pi_/)
      clock.at += UNPAID_MS
      await begin(account)
    })

    it('attack: a usage key that creates too many payments does not keep its account from paying', async () => {
      const { begin } = shop()
      const by = (usageKey: string) => begin(account, 500, usageKey)
      for (let n = 0; n < 10; n++) await by('one')
      await expect(by('one')).rejects.toThrow('this key has 10 unpaid payments')
      for (let n = 0; n < 10; n++) await by(`another ${n}`)
      await expect(by('a third')).rejects.toThrow(
        'the usage keys of this account have 20 unpaid payments',
      )
      for (let n = 0; n < 10; n++) await begin(account)
      await expect(begin(account)).rejects.toThrow('this account has 30 unpaid payments')
    })

    it('attack: a usage key that creates payments slowly for a week does not keep its account from paying', async () => {
      const { begin } = shop()
      for (let n = 0; n < 140; n++) {
        await begin(account, 500, `key ${n % 2}`)
        clock.at += HOUR_MS / 2
      }
      for (const key of ['key 0', 'key 2'])
        await expect(begin(account, 500, key)).rejects.toThrow('from the last week')
      await begin(account)
    })

    it('attack: usage keys that fill their queue do not delay the owner', async () => {
      double.faults.add({ kind: 'slow', ms: 100, times: 1_000, on: /payment_intents/ })
      const { begin } = shop()
      const flood = Array.from({ length: 40 }, (_, n) =>
        begin(account, 500, `key ${n}`).catch((error: unknown) => error),
      )
      await begin(account)
      const ended = await Promise.all(flood)
      const begun = ended.filter((one) => !(one instanceof Error))
      expect(begun.length).toBeGreaterThan(0)
      expect(begun.length).toBeLessThan(40)
    })

    it('flood: requests of one account queue behind each other, and do not delay other accounts', async () => {
      double.faults.add({ kind: 'slow', ms: 100, times: 1_000, on: /payment_intents/ })
      const { begin } = shop()
      const flood = Array.from({ length: 40 }, () =>
        begin(account).catch((error: unknown) => error),
      )
      await begin(newAccount())
      const mine = [...double.records.intents.values()].filter(
        ({ metadata }) => metadata['svc_account'] === account,
      )
      const ended = await Promise.all(flood)
      const refused = ended.filter((one) => one instanceof TooManyPaymentsError)
      expect(refused.length).toBeGreaterThan(0)
      // The other account was served before the end of the queue.
      expect(mine.length).toBeLessThan(ended.length - refused.length)
    })
  })

  describe('confirming a payment', () => {
    it('returns its state', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      const confirmed = () => payments.confirm({ accountHash: account }, intentId)
      expect(await confirmed()).toEqual({ state: 'pending' })
      double.paying.decline(intentId)
      const reason = 'Your card was declined.'
      expect(await confirmed()).toEqual({ state: 'failed', reason, isFinal: false })
      double.paying.byCrypto(intentId)
      expect(await confirmed()).toEqual({ state: 'pending' })
      double.paying.confirmOnChain(intentId)
      expect(await confirmed()).toEqual({ state: 'credited' })
      expect(await balance()).toBe(500)
    })

    it('returns a final failure if it was canceled', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.cancel(intentId)
      expect(await payments.confirm({ accountHash: account }, intentId)).toMatchObject({
        state: 'failed',
        isFinal: true,
      })
    })

    it('does not need the processor once it is credited', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCard(intentId)
      await payments.confirm({ accountHash: account }, intentId)
      double.faults.add({ kind: 'fails_before', times: 100 })
      expect(await payments.confirm({ accountHash: account }, intentId)).toEqual({
        state: 'credited',
      })
    })

    it('stolen credit: reveals nothing to another account, and credits it nothing', async () => {
      const { payments, begin } = shop()
      const thief = newAccount()
      const { intentId } = await begin(account)
      double.paying.byCard(intentId)
      const before = double.seen.length
      expect(await payments.confirm({ accountHash: thief }, intentId)).toEqual({ state: 'unknown' })
      expect(double.seen).toHaveLength(before)
      expect(await payments.confirm({ accountHash: thief }, 'pi_unknown')).toEqual({
        state: 'unknown',
      })
      expect((await booksOf(db(), thief)).transfers).toEqual([])
    })

    it.each([
      '../customers',
      'pi_1/cancel',
      'pi_1?expand[]=customer',
      '%2e%2e',
      'pi:1',
      '',
      'search',
    ])('path injection: rejects %j as unknown without querying the processor', async (id) => {
      expect(await shop().payments.confirm({ accountHash: account }, id)).toEqual({
        state: 'unknown',
      })
      expect(double.seen).toEqual([])
    })

    it.each([
      [false, 1],
      [false, 2],
      [true, 2],
    ])(
      'credits once on a retry if the database fails (after the commit: %j, at use %i)',
      async (after, from) => {
        const { begin } = shop()
        const { intentId } = await begin(account)
        double.paying.byCard(intentId)
        const broken = paymentsOf(double, failing(db(), { from, after }), { clock })
        await expect(broken.payments.confirm({ accountHash: account }, intentId)).rejects.toThrow(
          DatabaseUnavailableError,
        )
        expect(await shop().payments.confirm({ accountHash: account }, intentId)).toEqual({
          state: 'credited',
        })
        expect(await balance()).toBe(500)
      },
    )
  })

  it('flood: limits an account to two processor queries a second', async () => {
    const { payments, begin } = shop()
    const { intentId } = await begin(account)
    double.seen.length = 0
    for (const id of [intentId, 'pi_unknown'])
      for (let n = 0; n < 100; n++)
        await payments.confirm({ accountHash: account }, id).catch(() => {})
    expect(double.seen.length).toBeLessThanOrEqual(120)
    await expect(payments.confirm({ accountHash: account }, intentId)).rejects.toThrow(
      TooManyPaymentsError,
    )
    expect(await payments.confirm({ accountHash: newAccount() }, 'pi_unknown')).toEqual({
      state: 'unknown',
    })
    clock.at += MINUTE_MS
    expect(await payments.confirm({ accountHash: account }, intentId)).toEqual({ state: 'pending' })
  })

  it('attack: a usage key that confirms too often leaves queries for the account key', async () => {
    const { payments } = shop()
    const ask = (by?: string) =>
      payments.confirm({ accountHash: account, usageKeyHash: by }, 'pi_unknown')
    for (let n = 0; n < 80; n++) await ask('one')
    for (const key of ['one', 'two']) await expect(ask(key)).rejects.toThrow(TooManyPaymentsError)
    expect(await ask()).toEqual({ state: 'unknown' })
  })

  describe('polling payments', () => {
    it('lost webhook: credits a payment that no client confirms', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCrypto(intentId)
      clock.at += MINUTE_MS
      await payments.pollDue()
      double.paying.confirmOnChain(intentId)
      clock.at += 10 * MINUTE_MS
      await payments.pollDue()
      expect(await balance()).toBe(500)
    })

    it('backs off, and gives up on a payment that is unpaid for a week', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      let looks = 0
      const began = clock.at
      for (let row = await rowOf(intentId); row?.lookAt; row = await rowOf(intentId)) {
        clock.at = row.lookAt.getTime()
        await payments.pollDue()
        looks += 1
      }
      expect(clock.at - began).toBeGreaterThanOrEqual(UNPAID_MS)
      expect(looks).toBeLessThan(60)
      expect(await rowOf(intentId)).toMatchObject({ state: 'failed', looks })
    })

    it('credits a payment that is paid after polling has stopped', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      clock.at += 8 * DAY_MS
      await payments.pollDue()
      expect(await rowOf(intentId)).toMatchObject({ state: 'failed', lookAt: null })
      double.paying.byCard(intentId)
      await payments.reconcile(intentId)
      expect(await balance()).toBe(500)
      expect(await rowOf(intentId)).toMatchObject({ state: 'credited' })
    })

    it('does not give up on a payment that is processing', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCrypto(intentId)
      clock.at += 8 * DAY_MS
      await payments.pollDue()
      double.paying.confirmOnChain(intentId)
      clock.at += 2 * DAY_MS
      await payments.pollDue()
      expect(await balance()).toBe(500)
    })

    it('lost webhook: finds refunds and disputes for half a year', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCard(intentId)
      await payments.reconcile(intentId)
      double.givingBack.refund(intentId, { amount: 100 })
      clock.at += DAY_MS
      await payments.pollDue()
      expect(await balance()).toBe(400)
      clock.at += 100 * DAY_MS
      await payments.pollDue()
      double.givingBack.dispute(intentId)
      clock.at += 40 * DAY_MS
      await payments.pollDue()
      expect(await balance()).toBe(0)
      clock.at += 60 * DAY_MS
      await payments.pollDue()
      expect((await rowOf(intentId))?.lookAt).toBeNull()
    })

    it('is as rare for a credited payment that the processor has lost as for others', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCard(intentId)
      await payments.reconcile(intentId)
      double.records.intents.delete(intentId)
      let looks = 0
      for (let row = await rowOf(intentId); row?.lookAt && looks < 100; looks++) {
        clock.at = row.lookAt.getTime()
        await payments.pollDue()
        row = await rowOf(intentId)
      }
      expect(looks).toBeLessThan(30)
      expect(await rowOf(intentId)).toMatchObject({ state: 'credited', lookAt: null })
      expect(await balance()).toBe(500)
    })

    it('queries each payment at one process only', async () => {
      const { begin } = shop()
      for (let n = 0; n < 4; n++) await begin(account)
      clock.at += MINUTE_MS
      const before = double.seen.length
      await Promise.all([1, 2, 3].map(() => shop().payments.pollDue()))
      expect(double.seen.length - before).toBe(4)
    })

    it('tries again after a minute if the processor was unavailable', async () => {
      const { payments, begin } = shop()
      const { intentId } = await begin(account)
      double.paying.byCard(intentId)
      clock.at += MINUTE_MS
      const away = paymentsOf(double, db(), {
        clock,
        processor: {
          ...clientOf(double).client,
          factsOf: () => Promise.reject(new ProcessorUnavailableError('away')),
        } as never,
      })
      await away.payments.pollDue()
      await payments.pollDue()
      expect(await balance()).toBe(0)
      clock.at += MINUTE_MS
      await payments.pollDue()
      expect(await balance()).toBe(500)
    })

    it('starved: a payment that cannot be read does not delay the others', async () => {
      const { payments, begin } = shop()
      const bad = await Promise.all([begin(account), begin(account), begin(account)])
      clock.at += 1
      const { intentId } = await begin(account)
      const other = double.records.intent(intentId)
      double.paying.byCard(intentId)
      for (const one of bad) double.records.intents.set(one.intentId, other)
      clock.at += MINUTE_MS
      await expect(payments.pollDue()).rejects.toThrow(ProcessorUnavailableError)
      await payments.pollDue()
      expect(await balance()).toBe(500)
    })
  })
}

onSharedDatabase(1, (open) => paymentsHold(() => open(0)))
