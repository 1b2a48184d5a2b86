/** Reservations in one statement, with what the process last saw of the sums. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseUnavailableError } from '../../../origin/db/database-unavailable.ts'
import type { Database } from '../../../origin/db/open.ts'
import { databaseTimelines, policySums } from '../../../origin/db/schema.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import { prepareReplaceSums } from '../../../origin/policies/sums/replace-sums.ts'
import type { SignatureReservation } from '../../../origin/policies/sums/reservation.ts'
import { SumsUnavailableError } from '../../../origin/policies/sums/sums-unavailable.ts'
import { setDatabaseClock, stopDatabaseClock } from './database-clock.ts'
import { charge, newWallet } from './reservations.ts'
import { hourly, reservation, useSumsDatabase } from './sums-database.ts'

const { opened, sumsAt, rowsOf } = useSumsDatabase()

describe('what was last seen of the sums', () => {
  const NOW = Date.now()
  const HOURLY_MAX = 1_000n

  /** A process whose clock has stopped, with numbers of its statements. */
  function stopped({
    afterReplacement = () => {},
    ...clocks
  }: { afterReplacement?: () => void; now?: () => number; monotonic?: () => number } = {}) {
    const counts = { transactions: 0, replacements: 0 }
    const { db } = opened.database
    const transaction: Database['transaction'] = (...args) => {
      counts.transactions++
      return db.transaction(...args)
    }
    /** Only the statement that replaces sums is prepared. */
    const select = (columns: Parameters<Database['select']>[0]) => ({
      from: (source: SQL) => ({
        prepare: (name: string) => {
          const statement = db.select(columns).from(source).prepare(name)
          const execute = async (values: Record<string, unknown>) => {
            counts.replacements++
            const rows = await statement.execute(values)
            afterReplacement()
            return rows
          }
          return { execute }
        },
      }),
    })
    const get = (of: Database, name: string | symbol): unknown =>
      name === 'transaction' ? transaction : name === 'select' ? select : Reflect.get(of, name)
    const sums = new PolicySums({
      db: new Proxy(db, { get }),
      now: () => NOW,
      monotonic: () => 0,
      log: () => {},
      ...clocks,
    })
    return { sums, counts }
  }

  const of = (pkpId: string, amount: bigint, given?: Partial<SignatureReservation>) =>
    reservation(pkpId, [hourly(amount, HOURLY_MAX)], given)
  const spent = async (pkpId: string) =>
    [...(await sumsAt().read(pkpId)).values()][0]?.buckets.reduce(
      (sum, { amount }) => sum + amount,
      0n,
    )

  beforeEach(async () => {
    await sumsAt().recordTimeline()
    await stopDatabaseClock(opened.database, NOW)
  })
  afterAll(() => setDatabaseClock(opened.database, {}))

  it('reserves in one statement, also many sums at once', async () => {
    const { sums, counts } = stopped()
    const wallets = Array.from({ length: 20 }, newWallet)
    const reserveAll = (amount: bigint) =>
      Promise.all(
        wallets.flatMap((pkpId) => [
          sums.reserve(of(pkpId, amount)),
          sums.reserve(of(pkpId, amount)),
        ]),
      )
    await reserveAll(100n)
    expect(counts).toEqual({ transactions: 2, replacements: 0 })
    const results = await reserveAll(200n)
    expect(counts).toEqual({ transactions: 2, replacements: 1 })
    expect(results.map(({ isReserved }) => isReserved)).not.toContain(false)
    for (const pkpId of wallets) expect(await spent(pkpId)).toBe(600n)
    expect(results.slice(0, 2)).toMatchObject([
      { remaining: [{ remaining: 600n }] },
      { remaining: [{ remaining: 400n }] },
    ])
    expect((await rowsOf(wallets[0]!)).digests).toHaveLength(4)
  })

  it('refuses only after a transaction has read the sums', async () => {
    const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
    await sums.reserve(of(pkpId, 900n))
    const { transactions } = counts
    const refused = await sums.reserve(of(pkpId, 101n))
    expect(refused).toMatchObject({ isReserved: false, remaining: 100n })
    expect(counts).toEqual({ transactions: transactions + 1, replacements: 0 })
  })

  it('over-spend: another process has reserved in between', async () => {
    const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
    await sums.reserve(of(pkpId, 100n))
    await sumsAt(() => NOW, opened.other).reserve(of(pkpId, 500n))
    expect(await sums.reserve(of(pkpId, 500n))).toMatchObject({
      isReserved: false,
      remaining: 400n,
    })
    expect(counts.replacements).toBe(1)
    expect(await sums.reserve(of(pkpId, 400n))).toMatchObject({ remaining: [{ remaining: 0n }] })
    expect(await spent(pkpId)).toBe(1_000n)
  })

  it('over-spend: another process has reserved one of several sums', async () => {
    const [{ sums }, pkpId] = [stopped(), newWallet()]
    const two = (amount: bigint) =>
      reservation(
        pkpId,
        ['a', 'b'].map((key) => ({ ...hourly(amount), key })),
      )
    await sums.reserve(two(10n))
    const one = reservation(pkpId, [{ ...hourly(80n), key: 'b' }])
    await sumsAt(() => NOW, opened.other).reserve(one)
    expect(await sums.reserve(two(20n))).toMatchObject({ isReserved: false, remaining: 10n })
    const states = await sumsAt().read(pkpId)
    expect([...states.values()].map(({ buckets }) => buckets[0]?.amount)).toEqual([10n, 90n])
  })

  it('contention: no longer assumes the state of a sum that others change all the time', async () => {
    const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
    const busy = sumsAt(() => NOW, opened.other)
    for (let round = 0; round < 40; round++) {
      expect((await sums.reserve(of(pkpId, 1n))).isReserved).toBe(true)
      await busy.reserve(of(pkpId, 1n))
    }
    expect(counts.replacements).toBeLessThan(8)
    for (let round = 0; round < 80; round++) await sums.reserve(of(pkpId, 1n))
    expect(counts.replacements).toBeGreaterThan(8)
    expect(await spent(pkpId)).toBe(160n)
  })

  it('deleted row: starts an empty sum again', async () => {
    const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
    await sums.reserve(of(pkpId, 300n))
    await opened.database.db.delete(policySums).where(eq(policySums.pkpId, pkpId))
    expect(await sums.reserve(of(pkpId, 600n))).toMatchObject({ remaining: [{ remaining: 400n }] })
    expect(counts.replacements).toBe(1)
    expect(await spent(pkpId)).toBe(600n)
  })

  it.each(['reserved by this process', 'reserved by another process'])(
    'paid digest, %s: is not charged again',
    async (by) => {
      const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
      const paid = of(pkpId, 300n)
      await sums.reserve(of(pkpId, 100n))
      await (by.includes('this') ? sums : sumsAt(() => NOW, opened.other)).reserve(paid)
      const { replacements } = counts
      expect(await sums.reserve(paid)).toMatchObject({ remaining: [{ remaining: 600n }] })
      expect(counts.replacements).toBe(replacements + 1)
      expect(await spent(pkpId)).toBe(400n)
    },
  )

  it.each([
    ['a restore', sql`update database_timelines set timeline = timeline || '*'`],
    ['a statement of the operator', sql`update database_timelines set complete_since = now()`],
  ])('lost amounts: refuses charges after %s in between', async (_, statement) => {
    await opened.database.db.execute(sql`update database_timelines set complete_since = 'epoch'`)
    const [{ sums }, pkpId] = [stopped(), newWallet()]
    const policySetAt = Math.floor(NOW / 1_000) - 10
    expect((await sums.reserve(of(pkpId, 1n, { policySetAt }))).isReserved).toBe(true)
    await opened.database.db.execute(statement)
    const refused = await sums.reserve(of(pkpId, 1n, { policySetAt }))
    expect(refused).toMatchObject({ isReserved: false, restoredAt: expect.any(Number) })
  })

  it.each([
    [-501, 1],
    [-499, 0],
    [499, 0],
    [501, 1],
  ])('clock of the database that was set by %d ms: takes %d transactions', async (ms, more) => {
    const [{ sums, counts }, pkpId] = [stopped(), newWallet()]
    await sums.reserve(of(pkpId, 1n))
    const { transactions } = counts
    await stopDatabaseClock(opened.database, NOW + ms)
    expect((await sums.reserve(of(pkpId, 1n))).isReserved).toBe(true)
    expect(counts).toEqual({ transactions: transactions + more, replacements: 1 })
    const [state] = [...(await sumsAt().read(pkpId)).values()]
    expect(state!.latest).toBeLessThanOrEqual(NOW + Math.max(0, ms))
    // Amounts are recorded 5 s after the later clock, in buckets of an hour's 64th.
    expect(state!.buckets.at(-1)!.ends).toBeGreaterThan(NOW + Math.max(0, ms) + 5_000)
  })

  it('clock of a process that is set back: an amount still counts for its whole window', async () => {
    const WINDOW = charge({ amount: 60n, max: 100n, window_s: 120 })
    let [now, time] = [NOW, 0]
    const { sums } = stopped({ now: () => now, monotonic: () => time })
    const pkpId = newWallet()
    await sums.reserve(reservation(pkpId, [{ ...WINDOW, amount: 0n }]))
    now -= 59_000
    await sums.reserve(reservation(pkpId, [WINDOW]))
    time += 119_000
    now = NOW + time
    await stopDatabaseClock(opened.database, now)
    expect(await sums.reserve(reservation(pkpId, [WINDOW]))).toMatchObject({ isReserved: false })
  })

  it('clocks that differ by more than a minute: nothing is reserved', async () => {
    let now = NOW
    const { sums, counts } = stopped({ now: () => now })
    const pkpId = newWallet()
    await sums.reserve(of(pkpId, 1n))
    now += 61_000
    await expect(sums.reserve(of(pkpId, 1n))).rejects.toThrow(/differ by 61 s; correct them/)
    expect(counts.replacements).toBe(0)
  })

  it('crash after the commit, before the answer: the amount counts as spent, and its digest is free', async () => {
    const { sums } = stopped({
      afterReplacement: () => {
        throw new Error('connection lost')
      },
    })
    const pkpId = newWallet()
    await sums.reserve(of(pkpId, 100n))
    const lost = of(pkpId, 600n)
    await expect(sums.reserve(lost)).rejects.toThrow(DatabaseUnavailableError)
    const restarted = sumsAt(() => NOW)
    expect(await restarted.reserve(of(pkpId, 301n))).toMatchObject({ remaining: 300n })
    expect(await restarted.reserve(lost)).toMatchObject({ remaining: [{ remaining: 300n }] })
  })

  it('suspended process: its signature is refused after 4 s, and the amount counts as spent', async () => {
    let time = 0
    const { sums } = stopped({ monotonic: () => time, afterReplacement: () => (time += 4_001) })
    const pkpId = newWallet()
    await sums.reserve(of(pkpId, 100n))
    await expect(sums.reserve(of(pkpId, 600n))).rejects.toThrow(DatabaseUnavailableError)
    expect(await spent(pkpId)).toBe(700n)
  })

  it('corrupted row: its reservations are refused', async () => {
    const [{ sums }, pkpId] = [stopped(), newWallet()]
    await sums.reserve(of(pkpId, 100n))
    await opened.database.db.execute(
      sql`update policy_sums set state = '{"latest":0}' where pkp_id = ${pkpId}`,
    )
    await expect(sums.reserve(of(pkpId, 1n))).rejects.toThrow(SumsUnavailableError)
  })

  it.each([
    ['read committed', true],
    ['repeatable read', false],
  ] as const)(
    'settings of the server: is durable, and in %s it replaces: %s',
    async (level, is) => {
      const [pkpId, seen] = [newWallet(), sumsAt(() => NOW)]
      await seen.reserve(of(pkpId, 100n))
      const [state] = [...(await seen.read(pkpId)).values()]
      const [timelines] = await opened.database.db
        .select({ since: sql<string>`extract(epoch from max(complete_since)) * 1000` })
        .from(databaseTimelines)
      const { key } = hourly(1n)
      const before = [{ pkpId, key, state }]
      const changed = [{ pkpId, key, state: { latest: NOW, buckets: [] }, expiresAt: NOW }]
      await opened.database.db.transaction(
        async (tx) => {
          await tx.execute(sql`set local synchronous_commit = off`)
          const { isReplaced } = await prepareReplaceSums(tx)({
            before,
            changed,
            paid: [],
            paidUntil: NOW,
            completeSince: Number(timelines?.since),
            bounds: { from: NOW, to: NOW },
          })
          const { rows } = (await tx.execute(sql`show synchronous_commit`)) as { rows: object[] }
          expect([isReplaced, rows[0]]).toEqual([is, { synchronous_commit: is ? 'on' : 'off' }])
        },
        { isolationLevel: level },
      )
      expect(await spent(pkpId)).toBe(is ? 0n : 100n)
    },
  )
})
