/** Lists and revokes an account's tokens. Owners can do so only in the browser. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { AGENT_TOKEN_IDLE_MS } from '../../shared/limits.ts'
import { type Scope, scopesOf } from '../../shared/wire/agent.ts'
import { agentTokens } from '../db/schema.ts'
import { isTokenExpired } from './agent-tokens.ts'
import type { IdentityDeps } from './deps.ts'

/** Maximum number of listed tokens. Token rows are never deleted, so only the newest tokens are listed. */
export const TOKENS_LISTED = 200

export type OwnedToken = {
  challenge: string
  label: string | null
  scopes: Scope[]
  createdAt: number
  lastUsedAt: number | null
  /**
   * Time at which the token expires if it is not used again, in Unix milliseconds: the end of its absolute or its idle
   * lifetime, whichever is earlier.
   */
  endsAt: number
  state: 'live' | 'ended' | 'revoked'
}

/** Lists live tokens first, then expired tokens, then revoked tokens. Each group is sorted from newest to oldest. */
export async function listTokens({ db, now }: IdentityDeps, userId: string): Promise<OwnedToken[]> {
  const rows = await db
    .select()
    .from(agentTokens)
    .where(eq(agentTokens.userId, userId))
    // Revoked tokens are sorted last, so that the row limit cannot exclude live tokens in favor of revoked ones.
    .orderBy(
      sql`${agentTokens.revokedAt} is not null`,
      desc(agentTokens.createdAt),
      agentTokens.challenge,
    )
    .limit(TOKENS_LISTED)
  const at = now()
  return rows
    .map((row) => {
      const { challenge, label, createdAt, lastUsedAt, expiresAt, revokedAt } = row
      const endsAt = Math.min(expiresAt, (lastUsedAt ?? createdAt) + AGENT_TOKEN_IDLE_MS)
      const scopes = scopesOf(row.scopes)
      const state = revokedAt !== null ? 'revoked' : isTokenExpired(row, at) ? 'ended' : 'live'
      return { challenge, label, scopes, createdAt, lastUsedAt, endsAt, state } as const
    })
    .toSorted((one, other) => RANK[one.state] - RANK[other.state])
}

const RANK = { live: 0, ended: 1, revoked: 2 }

/**
 * Idempotent. The token's row is not deleted, so that the token can never be approved again.
 * @returns false if the token does not belong to this account
 */
export async function revokeToken(
  { db, now }: IdentityDeps,
  { challenge, userId }: { challenge: string; userId: string },
): Promise<boolean> {
  const owned = and(eq(agentTokens.challenge, challenge), eq(agentTokens.userId, userId))
  const revoked = await db
    .update(agentTokens)
    .set({ revokedAt: now() })
    .where(and(owned, isNull(agentTokens.revokedAt)))
    .returning({ challenge: agentTokens.challenge })
  if (revoked.length > 0) return true
  return (await db.$count(agentTokens, owned)) > 0
}

export async function revokeAllTokens({ db, now }: IdentityDeps, userId: string): Promise<void> {
  await db
    .update(agentTokens)
    .set({ revokedAt: now() })
    .where(and(eq(agentTokens.userId, userId), isNull(agentTokens.revokedAt)))
}
