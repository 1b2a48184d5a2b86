import { eq } from 'drizzle-orm'
import { users } from '../db/schema.ts'
import type { OperatorDeps } from './deps.ts'
import { parseEmail } from '../identity/email-address.ts'
import type { User } from '../identity/users.ts'
import { OperatorRefusedError } from './operator-refused-error.ts'

/**
 * @param text ID or e-mail address
 * @throws {OperatorRefusedError} if there is no such user
 */
export async function findUser(db: OperatorDeps['db'], text: string): Promise<User> {
  const email = parseEmail(text)
  const user = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(email === undefined ? eq(users.id, text) : eq(users.email, email))
    .get()
  if (user) return user
  throw new OperatorRefusedError(
    'unknown',
    'No user has this ID or e-mail address.',
    'An erased user can be found by ID only; GET /operator lists it.',
  )
}
