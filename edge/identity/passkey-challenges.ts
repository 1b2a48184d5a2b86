/**
 * Challenges for passkey operations. A challenge is valid for one purpose and one response, and expires after 5
 * minutes. Only its SHA-256 is stored.
 */
import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { PASSKEY_CHALLENGE_LIFETIME_MS } from '../../shared/limits.ts'
import { passkeyChallenges } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'

/** Purpose of a challenge. A registration knows its user in advance, but a sign-in does not. */
type ChallengeUse = { purpose: 'sign_in' } | { purpose: 'register'; userId: string }

/**
 * Maximum number of open challenges. The table must be bounded, because anyone may request a challenge. At the limit,
 * the oldest challenges are evicted instead of rejecting new requests. An attacker would have to send thousands of
 * requests per second to evict a challenge before its user responds.
 */
const OPEN_CHALLENGES_MAX = 10_000

/** @returns challenge of 32 random bytes, in base64url */
export async function issueChallenge(deps: IdentityDeps, use: ChallengeUse): Promise<string> {
  const { db, random } = deps
  const now = deps.now()
  const challenge = newSecret(random)
  const evictedUpTo = db
    .select({ expiresAt: passkeyChallenges.expiresAt })
    .from(passkeyChallenges)
    .orderBy(desc(passkeyChallenges.expiresAt))
    .limit(1)
    .offset(OPEN_CHALLENGES_MAX - 1)
  const deletedUpTo = sql`max(${now}, coalesce((${evictedUpTo}), 0))`
  await db.batch([
    db.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, deletedUpTo)),
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
 * Consumes a challenge, even if the response turns out to be invalid. A single statement checks and deletes the
 * challenge, so that only one of two concurrent responses succeeds. A response for another purpose or user fails
 * without consuming the challenge.
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
