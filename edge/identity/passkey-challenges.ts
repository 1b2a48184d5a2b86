/** A challenge is valid for one purpose and one response, and expires after 5 minutes. Only its SHA-256 is stored. */
import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { PASSKEY_CHALLENGE_LIFETIME_MS } from '../../shared/limits.ts'
import { passkeyChallenges } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'

/** The user is known in advance for a registration, but not for a sign-in. */
type ChallengeUse = { purpose: 'sign_in' } | { purpose: 'register'; userId: string }

/**
 * Anyone may request a challenge, so the table must be bounded. At the limit, the oldest challenges are evicted instead
 * of rejecting requests. Evicting a challenge before its user responds would take thousands of requests per second.
 */
const OPEN_CHALLENGES_MAX = 10_000

/** @returns 32 random bytes in base64url */
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
 * Consumes the challenge even if its response turns out to be invalid. A single statement decides, so that only one of
 * two concurrent responses succeeds. A response for another purpose or user fails without consuming the challenge.
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
