import { desc } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import type { OperatorActionRecord, OperatorRequest } from '../../shared/wire/operator.ts'
import { operatorActions } from '../db/schema.ts'
import type { OperatorDeps } from './deps.ts'

const LISTED = 200
const ID_BYTES = 12

/**
 * Must be called before the action, so that no action is missing from the log. A row without a visible effect belongs to an
 * action that failed.
 */
export async function recordAction(
  { db, now, random }: Pick<OperatorDeps, 'db' | 'now' | 'random'>,
  { operator, reason, command }: Pick<OperatorRequest, 'operator' | 'reason' | 'command'>,
  subject: string,
): Promise<void> {
  const id = encodeBase64url(random(ID_BYTES))
  await db.insert(operatorActions).values({ id, operator, reason, command, subject, at: now() })
}

/** Newest first. */
export async function listActions(db: OperatorDeps['db']): Promise<OperatorActionRecord[]> {
  const rows = await db
    .select()
    .from(operatorActions)
    .orderBy(desc(operatorActions.at))
    .limit(LISTED)
  return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }))
}
