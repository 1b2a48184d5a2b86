/** Limits of usage keys in several origin processes with one database. */
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { appendEntry } from '../../../origin/audit-log/append-entry.ts'
import { internalContext } from '../../../origin/audit-log/context.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { mirrorRequirements, usageKeyLimits } from '../../../origin/db/schema.ts'
import { KeyExpiredError } from '../../../origin/usage-keys/key-limits.ts'
import { LIMITS } from '../../../origin/usage-keys/stored-limits.ts'
import { openFresh } from '../db/fresh-database.ts'
import { untilLockWait } from '../db/lock-waits.ts'
import { KEY, type LimitProcess, PRINCIPAL, startLimitProcess } from './limit-process.ts'

let database: OpenDatabase
let [one, other]: LimitProcess[] = []
beforeEach(async () => {
  database = await openFresh()
  one = await startLimitProcess(database, 'one')
  other = await startLimitProcess(database, 'other')
})
afterEach(async () => {
  await one!.close()
  await other!.close()
  await database.close()
})

const DAY_MS = 24 * 60 * 60 * 1000

describe('a changed limit', () => {
  it('applies in every process when the change returns', async () => {
    const expiresAt = Math.min(one!.clock.now, other!.clock.now)
    await one!.limits.change(KEY, { expiresAt })
    for (const process of [one!, other!])
      expect(() => process.limits.requireUnexpired(PRINCIPAL)).toThrow(KeyExpiredError)
    await other!.limits.change(KEY, { expiresAt: expiresAt + 60_000 })
    for (const process of [one!, other!]) process.limits.requireUnexpired(PRINCIPAL)
    await one!.limits.remove(KEY)
    expect(other!.limits.of(PRINCIPAL)).toBeUndefined()
  })

  it('leaves other limits of the key, and other keys, unchanged', async () => {
    await one!.limits.change(KEY, { expiresAt: 1, maxConcurrent: 2 })
    await other!.limits.change(KEY, { expiresAt: null })
    await other!.limits.change({ ...KEY, accountHash: 'another' }, { expiresAt: 1 })
    expect(one!.limits.of(PRINCIPAL)).toEqual({ maxConcurrent: 2 })
  })

  it('applies to a process that starts later', async () => {
    await one!.limits.change(KEY, { expiresAt: 1 })
    const later = await startLimitProcess(database, 'later')
    expect(later.limits.isExpired(PRINCIPAL)).toBe(true)
    await later.close()
  })

  it('applies even if a failover has lost the latest versions', async () => {
    await one!.limits.change(KEY, { expiresAt: 1 })
    await database.db.update(mirrorRequirements).set({ block: 0 })
    await database.db.delete(usageKeyLimits)
    await one!.limits.change(KEY, { expiresAt: 2 })
    expect(other!.limits.of(PRINCIPAL)).toEqual({ expiresAt: 2 })
  })
})

it('attack: a change that waits for the audit log of its account does not delay leases', async () => {
  const { db } = database
  const context = internalContext(KEY.accountHash, 'x', 'operator')
  const entry = { context, outcome: 'done', subject: {}, details: {} } as const
  let changed: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await appendEntry(tx, { ...entry, sourceId: 'slow' }, new Date())
    changed = one!.limits.change(KEY, { expiresAt: 1 }, { context, sourceId: 'limits' })
    await untilLockWait(db)
    // The statement of a renewal, which would wait.
    await db.execute(
      sql`select block from mirror_requirements where chain = ${LIMITS} for share nowait`,
    )
  })
  await changed
  expect(other!.limits.isExpired(PRINCIPAL)).toBe(true)
})

describe('attack: a process that is cut off from the database', () => {
  it('refuses usage keys instead of using limits that may have changed', async () => {
    other!.limits.of(PRINCIPAL)
    await other!.close()
    other!.clock.monotonicAheadMs += 2_100
    expect(() => other!.limits.of(PRINCIPAL)).toThrow(ContractUnavailableError)
    await one!.limits.change(KEY, { expiresAt: 1 })
    expect(() => other!.limits.requireUnexpired(PRINCIPAL)).toThrow(ContractUnavailableError)
  })

  it('still serves account keys, which have no limits', async () => {
    await other!.close()
    const { usageKey: _, ...owner } = PRINCIPAL
    expect(other!.limits.of(owner)).toBeUndefined()
  })
})

describe('rows of removed limits', () => {
  const rows = async () => (await database.db.select().from(usageKeyLimits)).length

  it('are deleted after a day, and set limits are not', async () => {
    await one!.limits.change(KEY, { expiresAt: 1 })
    await one!.limits.change({ ...KEY, keyHash: 'set' }, { expiresAt: 1 })
    await one!.limits.remove(KEY)
    await one!.limits.forgetOld()
    expect(await rows()).toBe(2)
    one!.clock.now += DAY_MS + 1
    await one!.limits.forgetOld()
    expect(await rows()).toBe(1)
  })

  it('are not needed by a process that did not read them for long', async () => {
    await one!.limits.change(KEY, { expiresAt: 1 })
    expect(other!.limits.of(PRINCIPAL)).toBeDefined()
    await database.db.delete(usageKeyLimits)
    other!.clock.now += DAY_MS
    await one!.limits.change({ ...KEY, keyHash: 'set' }, { expiresAt: 1 })
    expect(other!.limits.of(PRINCIPAL)).toBeUndefined()
  })

  it('are not written for a key without limits', async () => {
    await one!.limits.remove(KEY)
    expect(await rows()).toBe(0)
  })
})
