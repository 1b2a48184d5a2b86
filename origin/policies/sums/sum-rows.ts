/** SQL statements for sums. All transactions lock rows in the same order, so that processes cannot deadlock. */
import { asc, eq, sql } from 'drizzle-orm'
import { HOUR_MS } from '../../../shared/durations.ts'
import { EMPTY_SUM, type SumState } from '../../../shared/policies/rolling-sum.ts'
import { sumStateJson, sumStateSchema } from '../../../shared/policies/sum-states.ts'
import type { Database, Transaction } from '../../db/open.ts'
import { policySums } from '../../db/schema.ts'
import { records } from './records.ts'

export type SumId = { pkpId: string; key: string }

export type SumRow = SumId & {
  /** Undefined if the stored state is invalid. */
  state: SumState | undefined
}

export type ChangedSum = SumId & { state: SumState; expiresAt: number }

export type PaidDigest = { pkpId: string; digest: string; policyHash: string }

type Reader = Pick<Database, 'select'>

/** Retention of a row without an amount. */
const EMPTY_MS = HOUR_MS

const columns = { pkpId: policySums.pkpId, key: policySums.key, state: policySums.state }

/** Locks and returns the rows that exist. Waits for other transactions to release them. */
export async function lockSums(tx: Transaction, ids: readonly SumId[]): Promise<SumRow[]> {
  const rows = await sumsOf(tx, ids)
    .orderBy(asc(policySums.pkpId), asc(policySums.key))
    .for('update')
  return rows.map(decoded)
}

export async function readSums(db: Reader, ids: readonly SumId[]): Promise<SumRow[]> {
  return (await sumsOf(db, ids)).map(decoded)
}

function sumsOf(db: Reader, ids: readonly SumId[]) {
  const wanted = sql`(SELECT v.pkp_id, v.key FROM ${records(ids.map(sumKeys), 'pkp_id text, key text')})`
  return db
    .select(columns)
    .from(policySums)
    .where(sql`(${policySums.pkpId}, ${policySums.key}) IN ${wanted}`)
}

export async function readWalletSums(db: Reader, pkpId: string, max: number): Promise<SumRow[]> {
  const rows = await db
    .select(columns)
    .from(policySums)
    .where(eq(policySums.pkpId, pkpId))
    .orderBy(asc(policySums.key))
    .limit(max)
  return rows.map(decoded)
}

/** Creates rows, so that they can be locked. Must not be called in a transaction that holds locks. */
export async function insertEmptySums(
  db: Database,
  ids: readonly SumId[],
  now: number,
): Promise<void> {
  const expiresAt = new Date(now + EMPTY_MS)
  const state = sumStateJson(EMPTY_SUM)
  await db
    .insert(policySums)
    .values(inOrder(ids).map((id) => ({ ...id, state, expiresAt })))
    .onConflictDoNothing()
}

/** @throws {Error} unless all rows exist */
export async function writeSums(
  tx: Transaction,
  sums: readonly ChangedSum[],
  paid: readonly PaidDigest[],
  paidUntil: number,
): Promise<void> {
  const changed = sums.map(({ state, expiresAt, ...id }) => ({
    ...sumKeys(id),
    state: sumStateJson(state),
    expires_at: new Date(expiresAt),
  }))
  const digests = inOrderOfDigest(paid).map(({ pkpId, digest, policyHash }) => ({
    pkp_id: pkpId,
    digest,
    policy_hash: policyHash,
  }))
  const result = await tx.execute(sql`
    WITH changed AS (
      UPDATE policy_sums s SET state = v.state, expires_at = v.expires_at
      FROM ${records(changed, 'pkp_id text, key text, state jsonb, expires_at timestamptz')}
      WHERE s.pkp_id = v.pkp_id AND s.key = v.key
      RETURNING 1
    ), paid AS (
      INSERT INTO policy_signatures (pkp_id, digest, policy_hash, expires_at)
      SELECT pkp_id, digest, policy_hash, ${new Date(paidUntil).toISOString()}::timestamptz
      FROM ${records(digests, 'pkp_id text, digest text, policy_hash text')}
      ON CONFLICT DO NOTHING
    )
    SELECT count(*) AS count FROM changed`)
  const [row] = (result as { rows: { count: string }[] }).rows
  if (Number(row?.count) !== sums.length) throw new Error('a locked sum was not found')
}

const sumKeys = ({ pkpId, key }: SumId) => ({ pkp_id: pkpId, key })

/** Identifies a sum in memory. The slash ends the wallet ID, which is hex of either 20 or 32 bytes. */
export const sumName = ({ pkpId, key }: SumId) => `${pkpId}/${key}`

/** Sorts digests into the order in which all transactions insert them. */
export const inOrderOfDigest = (paid: readonly PaidDigest[]) =>
  paid.toSorted(
    (one, other) => compare(one.pkpId, other.pkpId) || compare(one.digest, other.digest),
  )

const inOrder = (ids: readonly SumId[]) =>
  ids.toSorted((one, other) => compare(one.pkpId, other.pkpId) || compare(one.key, other.key))

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

function decoded({ pkpId, key, state }: SumId & { state: unknown }): SumRow {
  return { pkpId, key, state: sumStateSchema.safeParse(state).data }
}
