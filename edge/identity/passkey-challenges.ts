/** What authenticators are given to sign: for one purpose, one answer and 5 minutes; only the SHA-256 is stored. */
import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { PASSKEY_CHALLENGE_LIFETIME_MS } from '../../shared/limits.ts'
import { passkeyChallenges } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'

/** Who signs in is not known before the answer; who registers is. */
export type ChallengeUse = { purpose: 'sign_in' } | { purpose: 'register'; userId: string }

/**
 * Challenges that may be open. Anybody may ask for one, so the table has an end; at it the oldest make room, and nobody
 * is refused: to push out somebody's challenge while he looks for his finger takes thousands of requests a second.
 */
const OPEN_CHALLENGES_MAX = 10_000

/** @returns base64url of 32 random bytes, as an authenticator is given them */
export async function issueChallenge(deps: IdentityDeps, use: ChallengeUse): Promise<string> {
  const { db, random } = deps
  const now = deps.now()
  const challenge = newSecret(random)
  const firstThatIsTooMany = db
    .select({ expiresAt: passkeyChallenges.expiresAt })
    .from(passkeyChallenges)
    .orderBy(desc(passkeyChallenges.expiresAt))
    .limit(1)
    .offset(OPEN_CHALLENGES_MAX - 1)
  const ended = sql`max(${now}, coalesce((${firstThatIsTooMany}), 0))`
  await db.batch([
    db.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, ended)),
    db.insert(passkeyChallenges).values({
      challengeHash: await hashSecret(challenge),
      purpose: use.purpose,
      userId: userOf(use),
      expiresAt: now + PASSKEY_CHALLENGE_LIFETIME_MS,
    }),
  ])
  return challenge
}

/**
 * Uses a challenge up, whatever its answer is worth. One statement decides, so of two answers at once one gets it; an
 * answer for another purpose, or by another user, gets nothing and uses up nothing.
 */
export async function consumeChallenge(
  deps: IdentityDeps,
  challenge: string,
  use: ChallengeUse,
): Promise<boolean> {
  if (!decode32Bytes(challenge)) return false
  const userId = userOf(use)
  const consumed = await deps.db
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challengeHash, await hashSecret(challenge)),
        eq(passkeyChallenges.purpose, use.purpose),
        userId === null ? isNull(passkeyChallenges.userId) : eq(passkeyChallenges.userId, userId),
        gt(passkeyChallenges.expiresAt, deps.now()),
      ),
    )
    .returning({ hash: passkeyChallenges.challengeHash })
  return consumed.length > 0
}

function userOf(use: ChallengeUse): string | null {
  return use.purpose === 'register' ? use.userId : null
}
