/** The tokens of an account, for the person who approved them: listed and revoked from the browser alone. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { AGENT_TOKEN_IDLE_MS } from '../../shared/limits.ts'
import { type Scope, scopesOf } from '../../shared/wire/agent.ts'
import { agentTokens } from '../db/schema.ts'
import { hasEnded } from './agent-tokens.ts'
import type { IdentityDeps } from './deps.ts'

/** Rows are kept for ever: of many, the newest are shown. */
export const TOKENS_LISTED = 200

export type OwnedToken = {
  challenge: string
  label: string | null
  scopes: Scope[]
  createdAt: number
  lastUsedAt: number | null
  /** The end by age, or by idleness where that comes first and it is not used till then. */
  endsAt: number
  state: 'live' | 'ended' | 'revoked'
}

/** Up to `TOKENS_LISTED`: what is good comes first, then what has ended, then what was revoked; newest first. */
export async function listTokens({ db, now }: IdentityDeps, userId: string): Promise<OwnedToken[]> {
  const rows = await db
    .select()
    .from(agentTokens)
    .where(eq(agentTokens.userId, userId))
    // A revoked one hides none that is good.
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
      const state = revokedAt !== null ? 'revoked' : hasEnded(row, at) ? 'ended' : 'live'
      return { challenge, label, scopes, createdAt, lastUsedAt, endsAt, state } as const
    })
    .toSorted((one, other) => RANK[one.state] - RANK[other.state])
}

const RANK = { live: 0, ended: 1, revoked: 2 }

/**
 * Revokes a token: its next request is refused, and its row stays, so that it never comes back. Again is nothing new.
 * @returns whether it is one of this account
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

/** Revokes all that an account has approved so far. */
export async function revokeAllTokens({ db, now }: IdentityDeps, userId: string): Promise<void> {
  await db
    .update(agentTokens)
    .set({ revokedAt: now() })
    .where(and(eq(agentTokens.userId, userId), isNull(agentTokens.revokedAt)))
}
