import { eq } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { users } from '../db/schema.ts'
import { macOf } from '../mac.ts'
import type { IdentityDeps, MacDeps } from './deps.ts'

export type User = { id: string; email: string }

const PURPOSE = 'svc/user-id/v1'

/** Length of a user ID. With 128 bits of a MAC, collisions are negligible. */
const USER_ID_BYTES = 16

/**
 * Creates the user at the first sign-in. Concurrent first sign-ins return the same user, because the unique index
 * accepts only one row, which both sign-ins then read. If the row was lost and a trigger's object has restored it
 * (`edge/triggers/trigger-index.ts`), adds the address to it.
 */
export async function findOrCreateUser(deps: IdentityDeps & MacDeps, email: string): Promise<User> {
  const { db, now, random, settings } = deps
  const existing = await userOf(db, email)
  if (existing) return existing
  const fresh = { id: await userIdOf(settings.ID_MAC_KEY, email), email, createdAt: now() }
  await db
    .insert(users)
    .values(fresh)
    .onConflictDoNothing({ target: users.email })
    // Replaces only the placeholder of a restored row, never the address of another user.
    .onConflictDoUpdate({ target: users.id, set: { email }, setWhere: eq(users.email, users.id) })
  const created = await userOf(db, email)
  if (created) return created
  // The ID is taken by the row of an erased user, who returns as a new user.
  const id = encodeBase64url(random(USER_ID_BYTES))
  await db
    .insert(users)
    .values({ ...fresh, id })
    .onConflictDoNothing({ target: users.email })
  const user = await userOf(db, email)
  if (!user) throw new Error('A user that was just stored cannot be read.')
  return user
}

/**
 * Derives the ID from the address, so that a user whose row was lost gets the same ID again. A trigger's object
 * identifies its owner only by this ID, and its usage key is sealed for it.
 */
async function userIdOf(macKey: string, email: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([PURPOSE, email]))
  return encodeBase64url((await macOf(macKey, text)).subarray(0, USER_ID_BYTES))
}

function userOf(db: IdentityDeps['db'], email: string): Promise<User | undefined> {
  return db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.email, email))
    .get()
}
