/** Browser sessions (`decisions.md`, Sign-in): 7 days, never prolonged; storage holds the cookie's SHA-256. */
import { and, eq, gt, lte } from 'drizzle-orm'
import { SESSION_LIFETIME_MS } from '../../shared/limits.ts'
import { sessions, users } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'
import type { User } from './users.ts'

/**
 * Who is at the browser, and the secret of its cookie, from which form tokens are derived.
 * `startedAt` is when the person signed in, in Unix milliseconds: a session is never prolonged.
 */
export type Session = { user: User; secret: string; startedAt: number }

/** Starts a session and returns the secret for its cookie. It is always a new one: none can be fixed beforehand. */
export async function startSession(deps: IdentityDeps, userId: string): Promise<string> {
  const { db, random } = deps
  const now = deps.now()
  await db.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, now)))
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
