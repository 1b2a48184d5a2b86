/**
 * Browser sessions (docs/decisions/0048). A session is valid for 7 days and never extended. Only the SHA-256 of the
 * session secret is stored.
 */
import { and, eq, gt } from 'drizzle-orm'
import { SESSION_LIFETIME_MS } from '../../shared/limits.ts'
import { sessions, users } from '../db/schema.ts'
import { deleteExpired } from './delete-expired.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'
import type { User } from './users.ts'

/**
 * Browser session. `secret` is the value of the cookie, from which CSRF tokens are derived. `startedAt` is in Unix
 * milliseconds.
 */
export type Session = { user: User; secret: string; startedAt: number }

/** The secret is always new, which prevents session fixation. */
export async function startSession(deps: IdentityDeps, userId: string): Promise<string> {
  const { db, random } = deps
  const now = deps.now()
  await deleteExpired(db, { table: sessions, key: sessions.secretHash, upTo: now })
  const secret = newSecret(random)
  await db.insert(sessions).values({
    secretHash: await hashSecret(secret),
    userId,
    createdAt: now,
    expiresAt: now + SESSION_LIFETIME_MS,
  })
  return secret
}

export async function findSession(
  deps: IdentityDeps,
  secret: string,
): Promise<Session | undefined> {
  if (!decode32Bytes(secret)) return undefined
  const found = await deps.db
    .select({ id: users.id, email: users.email, startedAt: sessions.createdAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(eq(sessions.secretHash, await hashSecret(secret)), gt(sessions.expiresAt, deps.now())),
    )
    .get()
  return found && { user: { id: found.id, email: found.email }, secret, startedAt: found.startedAt }
}

export async function endSession(deps: IdentityDeps, secret: string): Promise<void> {
  if (!decode32Bytes(secret)) return
  await deps.db.delete(sessions).where(eq(sessions.secretHash, await hashSecret(secret)))
}

/** Agent tokens remain valid. */
export async function endAllSessions(deps: IdentityDeps, userId: string): Promise<void> {
  await deps.db.delete(sessions).where(eq(sessions.userId, userId))
}
