import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { DatabaseUnavailableError } from '../../../origin/db/database-unavailable.ts'
import { type Database, openDatabase } from '../../../origin/db/open.ts'
import { databaseTimelines, policySums } from '../../../origin/db/schema.ts'
import { decide, WalletSums } from '../../../origin/policies/sums/decide.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import type {
  ReservationResult,
  SignatureReservation,
} from '../../../origin/policies/sums/reservation.ts'
import { SumsUnavailableError } from '../../../origin/policies/sums/sums-unavailable.ts'
import type { Charge } from '../../../shared/policies/charges.ts'
import { UINT256_MAX } from '../../../shared/policies/numbers.ts'
import { blocksOf } from '../../system/docs/blocks.ts'
import { setDatabaseClock, stopDatabaseClock } from './database-clock.ts'
import { charge, newDigest, newWallet } from './reservations.ts'
import { HOUR_S, hourly, reservation, useSumsDatabase } from './sums-database.ts'

const STARTED = Date.now()
const MINUTE = 60_000

const { opened, logs, sumsAt, rowsOf } = useSumsDatabase()

/** The database, with another way to execute transactions. */
function withTransaction(transaction: Database['transaction']): { db: Database } {
  const get = (db: Database, name: string | symbol): unknown =>
    name === 'transaction' ? transaction : Reflect.get(db, name)
  return { db: new Proxy(opened.database.db, { get }) }
}

describe('reserve', () => {
  it('adds up to the maximum, and tells what remains and when there is more', async () => {
    const [sums, pkpId, before] = [sumsAt(), newWallet(), Date.now()]
    const first = await sums.reserve(reservation(pkpId, [hourly(70n)]))
    expect(first).toMatchObject({ isReserved: true, remaining: [{ remaining: 30n }] })
    const second = await sums.reserve(reservation(pkpId, [hourly(31n)]))
    expect(second).toMatchObject({ isReserved: false, remaining: 30n })
    const { availableAt } = second as { availableAt: number }
    expect(availableAt).toBeGreaterThan(before + HOUR_S * 1_000)
    expect(availableAt - Date.now()).toBeLessThan((HOUR_S * 1_000 * 65) / 64 + 6_000)
    const [state] = [...(await sums.read(pkpId)).values()]
    expect(state?.buckets.map(({ amount }) => amount)).toEqual([70n])
    expect(await sums.simulate(reservation(pkpId, [hourly(30n)]))).toMatchObject({
      isReserved: true,
      remaining: [{ remaining: 0n }],
    })
    expect(await sums.reserve(reservation(pkpId, [hourly(30n)]))).toMatchObject({
      isReserved: true,
    })
  })

  it('does not use the database without charges', async () => {
    const closed = await openDatabase({ url: opened.database.url })
    await closed.close()
    const sums = sumsAt(undefined, closed)
    expect(await sums.reserve(reservation(newWallet(), []))).toEqual({
      isReserved: true,
      remaining: [],
    })
    await expect(sums.reserve(reservation(newWallet(), [hourly(1n)]))).rejects.toThrow(
      DatabaseUnavailableError,
    )
  })

  it('keeps sums up to 2^256 - 1 exactly', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    const near = await sums.reserve(reservation(pkpId, [hourly(UINT256_MAX - 1n, UINT256_MAX)]))
    expect(near).toMatchObject({ isReserved: true, remaining: [{ remaining: 1n }] })
    const over = await sums.reserve(reservation(pkpId, [hourly(2n, UINT256_MAX)]))
    expect(over).toMatchObject({ isReserved: false, remaining: 1n })
  })

  it('partial failure: a reservation over one of its sums adds to none of them', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    const of = (key: string, amount: bigint) => ({ ...hourly(amount), key })
    await sums.reserve(reservation(pkpId, [of('b', 60n)]))
    const results = await Promise.all([
      sums.reserve(reservation(pkpId, [of('a', 10n), of('b', 41n)])),
      sums.reserve(reservation(pkpId, [of('a', 100n), of('b', 40n)])),
    ])
    expect(results.map(({ isReserved }) => isReserved)).toEqual([false, true])
    expect((await rowsOf(pkpId)).digests).toHaveLength(2)
  })

  it('shares transactions among concurrent reservations', async () => {
    let transactions = 0
    const transaction: typeof opened.database.db.transaction = (...args) => {
      transactions++
      return opened.database.db.transaction(...args)
    }
    const sums = sumsAt(undefined, withTransaction(transaction))
    const wallets = Array.from({ length: 40 }, newWallet)
    const results = await Promise.all(
      wallets.flatMap((pkpId) =>
        [30n, 30n, 30n, 30n].map((amount) => sums.reserve(reservation(pkpId, [hourly(amount)]))),
      ),
    )
    expect(results.filter(({ isReserved }) => isReserved)).toHaveLength(3 * 40)
    expect(transactions).toBeLessThan(10)
  })

  it('refuses a reservation if too many are waiting, and then continues', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    const results = await Promise.allSettled(
      Array.from({ length: 2_500 }, () =>
        sums.reserve(reservation(pkpId, [hourly(1n, UINT256_MAX)])),
      ),
    )
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(300)
    for (const result of refused)
      expect(result).toMatchObject({ reason: { name: 'OverloadedError' } })
    expect((await rowsOf(pkpId)).digests).toHaveLength(2_500 - refused.length)
    expect(await sums.reserve(reservation(pkpId, [hourly(1n, UINT256_MAX)]))).toMatchObject({
      isReserved: true,
    })
  })
})

describe('attacks on sums', () => {
  it('concurrent over-spend: two processes reserve exactly the maximum', async () => {
    const [pkpId, first, second] = [newWallet(), sumsAt(), sumsAt(undefined, opened.other)]
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? first : second).reserve(reservation(pkpId, [hourly(5n)])),
      ),
    )
    expect(results.filter(({ isReserved }) => isReserved)).toHaveLength(20)
  })

  it('deadlock: processes that reserve the same sums in opposite orders', async () => {
    const [a, b] = [newWallet(), newWallet()]
    const processes = [sumsAt(), sumsAt(undefined, opened.other)]
    const digests = Array.from({ length: 6 }, newDigest)
    for (let round = 0; round < 20; round++) {
      const keys = ['x', 'y', `z${round}`]
      const all = processes.flatMap((sums, index) =>
        [a, b, a, b].map((pkpId, place) => {
          const charges = keys.map((key) => ({ ...hourly(1n, 10_000n), key }))
          const digest = digests[(place + index) % digests.length]!
          const ordered = index === 0 ? charges : charges.toReversed()
          return sums.reserve(reservation(pkpId, ordered, { digest }))
        }),
      )
      for (const result of await Promise.all(all)) expect(result.isReserved).toBe(true)
    }
  })

  it('same digest twice: is charged once, also in one transaction and by another process', async () => {
    const pkpId = newWallet()
    const [first, second] = [sumsAt(), sumsAt(undefined, opened.other)]
    const same = reservation(pkpId, [hourly(60n)])
    const results = await Promise.all([
      first.reserve(same),
      first.reserve(same),
      second.reserve(same),
      second.reserve(same),
    ])
    for (const result of results)
      expect(result).toMatchObject({ isReserved: true, remaining: [{ remaining: 40n }] })
    expect(await first.reserve(same)).toMatchObject({ isReserved: true })
    expect(await first.reserve(reservation(pkpId, [hourly(41n)]))).toMatchObject({
      isReserved: false,
    })
    const [{ key }] = same.charges as [Charge]
    expect((await first.read(pkpId)).get(key)?.buckets[0]?.amount).toBe(60n)
  })

  it('same digest of another wallet: is charged', async () => {
    const [sums, digest] = [sumsAt(), newDigest()]
    for (const pkpId of [newWallet(), newWallet()])
      expect(await sums.reserve(reservation(pkpId, [hourly(60n)], { digest }))).toMatchObject({
        remaining: [{ remaining: 40n }],
      })
  })

  it('digest of a refused reservation: is charged when it is reserved later', async () => {
    const [sums, pkpId, digest] = [sumsAt(), newWallet(), newDigest()]
    await sums.reserve(reservation(pkpId, [hourly(60n)]))
    const refused = await sums.reserve(reservation(pkpId, [hourly(60n)], { digest }))
    expect(refused).toMatchObject({ isReserved: false })
    expect(await sums.reserve(reservation(pkpId, [hourly(60n)], { digest }))).toEqual(refused)
  })

  it.each([
    ['negative amount', { charges: [hourly(-1n)] }],
    ['negative maximum', { charges: [hourly(1n, -1n)] }],
    ['huge amount', { charges: [hourly(UINT256_MAX + 1n, UINT256_MAX + 1n)] }],
    ['window of nothing', { charges: [charge({ window_s: 0 })] }],
    ['window that is not a number', { charges: [charge({ window_s: NaN })] }],
    ['key that Postgres cannot store', { charges: [charge({ key: 'a\0b' })] }],
    ['key that Postgres cannot index', { charges: [charge({ key: 'a'.repeat(5_000) })] }],
    ['wallet in another case', { pkpId: `0x${'A'.repeat(40)}` }],
    ['digest in another case', { digest: `0x${'A'.repeat(64)}` }],
    ['digest that is too short', { digest: '0x' }],
    ['time that is not a number', { policySetAt: NaN }],
  ] satisfies [string, Partial<SignatureReservation>][])(
    '%s: is refused, and the reservations beside it are not',
    async (_, given) => {
      const [sums, pkpId] = [sumsAt(), newWallet()]
      const [bad, good] = await Promise.allSettled([
        sums.reserve(reservation(pkpId, [hourly(1n)], given)),
        sums.reserve(reservation(pkpId, [hourly(1n)])),
      ])
      expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'TypeError' } })
      expect(good).toMatchObject({ status: 'fulfilled', value: { isReserved: true } })
    },
  )

  it.each([
    ['no object', '[]'],
    ['an amount that is a number', '{"latest":0,"buckets":[{"ends":1,"amount":5}]}'],
    ['a negative amount', '{"latest":0,"buckets":[{"ends":1,"amount":"-5"}]}'],
    ['an unknown member', '{"latest":0,"buckets":[],"more":1}'],
    ['no buckets', '{"latest":0}'],
    ['a time that is no integer', '{"latest":0.5,"buckets":[]}'],
  ])('corrupted row with %s: its reservations are refused, and no others', async (_, state) => {
    const [sums, pkpId, sound] = [sumsAt(), newWallet(), newWallet()]
    await sums.reserve(reservation(pkpId, [hourly(1n)]))
    await opened.database.db.execute(
      sql`update policy_sums set state = ${state}::jsonb where pkp_id = ${pkpId}`,
    )
    const [bad, good] = await Promise.allSettled([
      sums.reserve(reservation(pkpId, [hourly(1n)])),
      sums.reserve(reservation(sound, [hourly(1n)])),
    ])
    expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'SumsUnavailableError' } })
    expect(good).toMatchObject({ status: 'fulfilled', value: { isReserved: true } })
    await expect(sums.read(pkpId)).rejects.toThrow(SumsUnavailableError)
    await expect(sums.simulate(reservation(pkpId, [hourly(1n)]))).rejects.toThrow(
      SumsUnavailableError,
    )
  })

  it('locked wallet: delays other wallets of the transaction, but does not fail them', async () => {
    const [sums, locked, free] = [sumsAt(), newWallet(), newWallet()]
    await sums.reserve(reservation(locked, [hourly(1n)]))
    const release = Promise.withResolvers<void>()
    const holding = opened.other.db.transaction(async (tx) => {
      await tx.select().from(policySums).where(eq(policySums.pkpId, locked)).for('update')
      started.resolve()
      await release.promise
    })
    const started = Promise.withResolvers<void>()
    await started.promise
    const results = [locked, free].map((pkpId) =>
      sums.reserve(reservation(pkpId, [hourly(1n)])).catch((error: unknown) => error),
    )
    await expect(results[1]).resolves.toMatchObject({ isReserved: true })
    release.resolve()
    await holding
    expect(await results[0]).toSatisfy(
      // On a slow machine, the lock is released too late.
      (result: unknown) =>
        (result as ReservationResult).isReserved || result instanceof DatabaseUnavailableError,
    )
  })

  it('lost answer to the commit: nothing is signed, and the amount counts as spent', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    let isLost = false
    const losing: typeof opened.database.db.transaction = async (...args) => {
      await opened.database.db.transaction(...args)
      isLost = true
      throw new Error('connection lost')
    }
    const lossy = sumsAt(undefined, withTransaction(losing))
    await sums.reserve(reservation(pkpId, [hourly(0n)]))
    const lost = reservation(pkpId, [hourly(60n)])
    await expect(lossy.reserve(lost)).rejects.toThrow(DatabaseUnavailableError)
    expect(isLost).toBe(true)
    const next = await sums.reserve(reservation(pkpId, [hourly(60n)]))
    expect(next).toMatchObject({ isReserved: false, remaining: 40n })
    expect(await sums.reserve(lost)).toMatchObject({ isReserved: true })
  })

  it('suspended process: its signature is refused after 4 s, and the amount counts as spent', async () => {
    const pkpId = newWallet()
    let elapsed = 0
    const suspended = new PolicySums({
      db: opened.database.db,
      now: () => STARTED,
      // Each reading is 3 s after the one before it.
      monotonic: () => (elapsed += 3_000),
      log: () => {},
    })
    await expect(suspended.reserve(reservation(pkpId, [hourly(60n)]))).rejects.toThrow(
      DatabaseUnavailableError,
    )
    const next = await sumsAt().reserve(reservation(pkpId, [hourly(60n)]))
    expect(next).toMatchObject({ isReserved: false, remaining: 40n })
  })
})

describe('clocks', () => {
  const WINDOW = charge({ amount: 60n, max: 100n, window_s: 120 })

  it('window edge: an amount counts until its whole window has passed', async () => {
    let clock = Date.now()
    await stopDatabaseClock(opened.database, clock)
    const [sums, pkpId] = [sumsAt(() => clock), newWallet()]
    await sums.reserve(reservation(pkpId, [WINDOW]))
    const jump = async (ms: number) => {
      clock += ms
      await stopDatabaseClock(opened.database, clock)
      return (await sums.simulate(reservation(pkpId, [WINDOW]))).isReserved
    }
    expect(await jump(120_000)).toBe(false)
    // A bucket of 1,875 ms, and the 5 s by which amounts are recorded ahead.
    expect(await jump(8_000)).toBe(true)
  })

  it.each([
    ['set back', -59_000],
    ['set forward on one machine', 59_000],
  ])('clock %s: an amount still counts for its whole window', async (_, aheadMs) => {
    let clock = Date.now()
    await stopDatabaseClock(opened.database, clock)
    const [right, wrong] = [sumsAt(() => clock), sumsAt(() => clock + aheadMs)]
    const [first, second] = [newWallet(), newWallet()]
    // The wrong machine reserves, and then the right one; and the other way around.
    await wrong.reserve(reservation(first, [WINDOW]))
    await right.reserve(reservation(second, [WINDOW]))
    clock += 119_000
    await stopDatabaseClock(opened.database, clock)
    expect(await right.reserve(reservation(first, [WINDOW]))).toMatchObject({ isReserved: false })
    expect(await wrong.reserve(reservation(second, [WINDOW]))).toMatchObject({ isReserved: false })
    clock += 70_000
    await stopDatabaseClock(opened.database, clock)
    expect(await right.reserve(reservation(first, [WINDOW]))).toMatchObject({ isReserved: true })
  })

  it.each([
    ['forward', 59_000],
    ['back', -59_000],
  ])('database clock jump %s: an amount still counts for its whole window', async (_, aheadMs) => {
    let clock = Date.now()
    const [sums, first, second] = [sumsAt(() => clock), newWallet(), newWallet()]
    await stopDatabaseClock(opened.database, clock)
    await sums.reserve(reservation(first, [WINDOW]))
    await stopDatabaseClock(opened.database, clock + aheadMs)
    await sums.reserve(reservation(second, [WINDOW]))
    clock += 119_000
    await stopDatabaseClock(opened.database, clock + aheadMs)
    expect(await sums.reserve(reservation(first, [WINDOW]))).toMatchObject({ isReserved: false })
    await stopDatabaseClock(opened.database, clock)
    expect(await sums.reserve(reservation(second, [WINDOW]))).toMatchObject({ isReserved: false })
  })

  it('clocks that differ by more than a minute: nothing is reserved', async () => {
    const clock = Date.now()
    for (const aheadMs of [-61_000, 61_000, 366 * 86_400_000]) {
      const pkpId = newWallet()
      await stopDatabaseClock(opened.database, clock)
      const sums = sumsAt(() => clock + aheadMs)
      await expect(sums.reserve(reservation(pkpId, [WINDOW]))).rejects.toThrow(
        /differ by \d+ s; correct them/,
      )
      await stopDatabaseClock(opened.database, clock + aheadMs)
      await expect(sumsAt(() => clock).reserve(reservation(pkpId, [WINDOW]))).rejects.toThrow(
        SumsUnavailableError,
      )
      expect((await rowsOf(pkpId)).digests).toEqual([])
    }
    await setDatabaseClock(opened.database, {})
  })
})

describe('a restored database', () => {
  const setAt = () => Math.floor(Date.now() / 1_000) - 10

  /** A statement of the documentation. */
  const statement = (part: string) =>
    blocksOf('docs/backup.md').find(({ text }) => text.includes(part))!.text

  /** As after a restore, which starts a new timeline. */
  async function changeTimeline() {
    await opened.database.db.execute(
      sql`update database_timelines set timeline = timeline || '*', complete_since = 'epoch'`,
    )
  }

  it('lost amounts: refuses charges until a whole window has passed', async () => {
    let clock = Date.now()
    await stopDatabaseClock(opened.database, clock)
    const [sums, pkpId] = [sumsAt(() => clock), newWallet()]
    await changeTimeline()
    logs.length = 0
    const policySetAt = setAt()
    const hour = reservation(pkpId, [hourly(1n)], { policySetAt })
    const simulated = await sums.simulate(hour)
    expect(simulated).toMatchObject({ isReserved: false, remaining: 0n })
    const refused = await sums.reserve(hour)
    expect(refused).toMatchObject({ isReserved: false, remaining: 0n })
    const { availableAt, restoredAt } = refused as Record<'availableAt' | 'restoredAt', number>
    expect(availableAt).toBe(restoredAt + HOUR_S * 1_000)
    expect(logs).toEqual(['policies.timeline_changed'])
    clock = availableAt - 1
    await stopDatabaseClock(opened.database, clock)
    expect((await sums.reserve(hour)).isReserved).toBe(false)
    clock = availableAt + 1_000
    await stopDatabaseClock(opened.database, clock)
    expect((await sums.reserve(hour)).isReserved).toBe(true)
    await setDatabaseClock(opened.database, {})
  })

  it('accepts charges of a policy that was set again afterwards', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    await changeTimeline()
    await sums.recordTimeline()
    const before = reservation(pkpId, [hourly(1n)], { policySetAt: setAt() })
    expect((await sums.reserve(before)).isReserved).toBe(false)
    const policySetAt = Math.floor(Date.now() / 1_000) + 1
    expect((await sums.reserve({ ...before, policySetAt })).isReserved).toBe(true)
  })

  it('accepts digests that were paid before the recovered time', async () => {
    const [sums, pkpId] = [sumsAt(), newWallet()]
    const paid = reservation(pkpId, [hourly(1n)])
    await sums.reserve(paid)
    await changeTimeline()
    expect((await sums.reserve({ ...paid, policySetAt: setAt() })).isReserved).toBe(true)
  })

  it('records a restore once, and an operator can revoke it', async () => {
    await changeTimeline()
    logs.length = 0
    await Promise.all([sumsAt().recordTimeline(), sumsAt().recordTimeline()])
    await sumsAt().recordTimeline()
    expect(logs).toEqual(['policies.timeline_changed'])
    await opened.database.db.execute(sql.raw(statement('min(complete_since)')))
    const old = reservation(newWallet(), [hourly(1n)], { policySetAt: setAt() })
    expect((await sumsAt().reserve(old)).isReserved).toBe(true)
  })

  it('accepts the statement of an operator who restored it without recovery', async () => {
    await sumsAt().recordTimeline()
    await opened.database.db.execute(sql.raw(statement('complete_since = now()')))
    const old = reservation(newWallet(), [hourly(1n)], { policySetAt: setAt() })
    expect((await sumsAt().reserve(old)).isReserved).toBe(false)
  })

  it('counts as restored if the table of timelines is empty', async () => {
    await opened.database.db.delete(databaseTimelines)
    const old = reservation(newWallet(), [hourly(1n)], { policySetAt: setAt() })
    expect((await sumsAt().simulate(old)).isReserved).toBe(false)
    expect((await sumsAt().reserve(old)).isReserved).toBe(false)
  })
})

it('exhaustion: decides about all sums of 512 transfers to different recipients', () => {
  const charges = Array.from({ length: 512 * 32 }, (_, index) => charge({ key: `sum/${index}` }))
  const pkpId = newWallet()
  const rows = charges.map(({ key }) => ({ pkpId, key, state: { latest: 0, buckets: [] } }))
  const at = { clocks: { earlier: 1e12, recordedAt: 1e12 }, completeSince: 0, isPaid: false }
  // Copying the sums for each row took more than half a minute.
  const sums = new WalletSums(rows)
  expect(decide(sums, { pkpId, charges, policySetAt: 1 }, at).isReserved).toBe(true)
  expect(sums.of(pkpId).size).toBe(charges.length)
})

it('deletes sums without an amount in their window, and digests after 30 days', async () => {
  const day = 86_400_000
  let clock = Date.now()
  const [sums, pkpId] = [sumsAt(() => clock), newWallet()]
  await sums.reserve(reservation(pkpId, [hourly(1n)]))
  const expire = (table: string, ms: number) =>
    opened.database.db.execute(
      sql`update ${sql.identifier(table)} set expires_at = expires_at - ${ms} * interval '1 ms' where pkp_id = ${pkpId}`,
    )
  await sums.forgetOld()
  expect(await rowsOf(pkpId)).toMatchObject({ sums: [{}], digests: [{}] })
  // One clock alone deletes nothing.
  clock += 60 * day
  await sums.forgetOld()
  expect(await rowsOf(pkpId)).toMatchObject({ sums: [{}], digests: [{}] })
  clock -= 60 * day
  await expire('policy_sums', 65 * MINUTE)
  await expire('policy_signatures', 30 * day - MINUTE)
  await sums.forgetOld()
  expect(await rowsOf(pkpId)).toMatchObject({ sums: [], digests: [{}] })
  await expire('policy_signatures', 2 * MINUTE)
  await sums.forgetOld()
  expect(await rowsOf(pkpId)).toEqual({ sums: [], digests: [] })
})
