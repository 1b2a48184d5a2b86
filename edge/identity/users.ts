import { eq } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { users } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'

export type User = { id: string; email: string }

/** Length of a user ID. With 128 random bits, collisions are negligible. */
const USER_ID_BYTES = 16

/**
 * Creates the user at the first sign-in. Concurrent first sign-ins return the same user, because the unique index
 * accepts only one row, which both sign-ins then read.
 */
export async function findOrCreateUser(deps: IdentityDeps, email: string): Promise<User> {
  const { db, now, random } = deps
  const fresh = { id: encodeBase64url(random(USER_ID_BYTES)), email, createdAt: now() }
  await db.insert(users).values(fresh).onConflictDoNothing({ target: users.email })
  const user = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.email, email))
    .get()
  if (!user) throw new Error('A user that was just stored cannot be read.')
  return user
}
