import { and, gt, isNull, lt, sql } from 'drizzle-orm'
import { appendEntry, type ChangeAudit, type NewEntry } from '../audit-log/append-entry.ts'
import type { Payer } from '../credits/budget-names.ts'
import { deleteInBatches } from '../db/delete-in-batches.ts'
import type { Database } from '../db/open.ts'
import { mirrorRequirements, usageKeyLimits } from '../db/schema.ts'
import type { KeyLimits, LimitChanges } from './key-limits.ts'

/** Name of the limits in `mirror_requirements` and `mirror_leases`, where chains have names too. */
export const LIMITS = 'usage-key-limits'

type LimitsRow = typeof usageKeyLimits.$inferSelect

export type VersionedLimits = Payer & { version: number; limits: KeyLimits | undefined }

/** Time for which a row without limits is retained, so that running processes learn of the removal. */
const REMOVAL_RETENTION_MS = 24 * 60 * 60 * 1000

/**
 * Changes the limits of a key. The version is assigned under a row lock that is held until the commit, so a process
 * that has read one version has read all earlier ones. The version follows the clock, so it also increases if a
 * failover has lost the latest versions.
 * @returns the version
 */
export async function storeLimits(
  db: Database,
  { accountHash, keyHash }: Payer,
  changes: LimitChanges,
  at: Date,
  audit?: ChangeAudit,
): Promise<number> {
  return db.transaction(async (tx) => {
    // First, because it may wait for another change of the account. The lock on the version delays the leases of all
    // processes, so it must not be held meanwhile.
    if (audit) await appendEntry(tx, limitsEntry(audit, keyHash, changes), at)
    const clock = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    const [required] = await tx
      .insert(mirrorRequirements)
      .values({ chain: LIMITS, block: sql`${clock}` })
      .onConflictDoUpdate({
        target: mirrorRequirements.chain,
        set: { block: sql`greatest(${mirrorRequirements.block} + 1, ${clock})` },
      })
      .returning()
    const version = required!.block
    const set = { ...columnsOf(changes), version, updatedAt: at }
    await tx
      .insert(usageKeyLimits)
      .values({ accountHash, keyHash, ...set })
      .onConflictDoUpdate({ target: [usageKeyLimits.accountHash, usageKeyLimits.keyHash], set })
    return version
  })
}

function limitsEntry(
  { context, sourceId }: ChangeAudit,
  keyHash: string,
  { expiresAt, ...changes }: LimitChanges,
): NewEntry {
  const members = Object.entries(changes).map(([name, value]) => [snakeCase(name), value])
  return {
    context: { ...context, operation: 'set_usage_key_limits' },
    sourceId,
    outcome: 'done',
    subject: { usage_api_key_hash: keyHash },
    details: {
      ...Object.fromEntries(members.filter(([, value]) => value !== undefined)),
      ...(expiresAt !== undefined && {
        expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      }),
    },
  }
}

const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function columnsOf({ expiresAt, ...changes }: LimitChanges) {
  if (expiresAt === undefined) return changes
  return { ...changes, expiresAt: expiresAt === null ? null : new Date(expiresAt) }
}

/** @param version the latest version that is already known, or -1 */
export async function readLimits(db: Database, version: number): Promise<VersionedLimits[]> {
  const rows = await db.select().from(usageKeyLimits).where(gt(usageKeyLimits.version, version))
  return rows.map((row) => {
    const { accountHash, keyHash } = row
    return { accountHash, keyHash, version: row.version, limits: limitsOf(row) }
  })
}

/** Returns undefined if no limit is set. */
function limitsOf(row: LimitsRow): KeyLimits | undefined {
  const limits: KeyLimits = {
    ...(row.expiresAt && { expiresAt: row.expiresAt.getTime() }),
    ...(row.maxRequestsPerMinute !== null && { maxRequestsPerMinute: row.maxRequestsPerMinute }),
    ...(row.maxConcurrent !== null && { maxConcurrent: row.maxConcurrent }),
    ...(row.allowedOrigins && { allowedOrigins: row.allowedOrigins }),
    ...(row.allowedIps && { allowedIps: row.allowedIps }),
    ...(row.allowTriggers !== null && { allowTriggers: row.allowTriggers }),
    ...(row.canReadAccount !== null && { canReadAccount: row.canReadAccount }),
  }
  return Object.keys(limits).length === 0 ? undefined : limits
}

export async function deleteRemovedLimits(db: Database, now: number): Promise<void> {
  const hasNone = and(
    isNull(usageKeyLimits.expiresAt),
    isNull(usageKeyLimits.maxRequestsPerMinute),
    isNull(usageKeyLimits.maxConcurrent),
    isNull(usageKeyLimits.allowedOrigins),
    isNull(usageKeyLimits.allowedIps),
    isNull(usageKeyLimits.allowTriggers),
    isNull(usageKeyLimits.canReadAccount),
  )
  const isOld = lt(usageKeyLimits.updatedAt, new Date(now - REMOVAL_RETENTION_MS))
  await deleteInBatches(db, usageKeyLimits, and(hasNone, isOld))
}
