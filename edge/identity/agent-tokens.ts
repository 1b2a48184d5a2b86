/**
 * Bearer tokens of agents (docs/decisions/0049). An agent generates its own token, and sends only the token's hash,
 * called the challenge. A database row records which account approved the challenge.
 */
import { and, eq, isNull, lte, or, sql } from 'drizzle-orm'
import {
  AGENT_TOKEN_IDLE_MS,
  AGENT_TOKEN_LIFETIME_MS,
  AGENT_TOKEN_MIN_CHARACTERS,
} from '../../shared/limits.ts'
import { type Scope, SCOPES, scopesOf } from '../../shared/wire/agent.ts'
import { agentRequests, agentTokens, users } from '../db/schema.ts'
import { idOfToken } from './credential-id.ts'
import type { IdentityDeps } from './deps.ts'
import { hashSecret } from './secret.ts'
import type { User } from './users.ts'

/**
 * Minimum interval between updates of `last_used_at`. Low precision is sufficient, because the value is only displayed,
 * and compared with an idle limit of several days.
 */
const LAST_USED_INTERVAL_MS = 60_000

/** Pattern of a valid token: unreserved characters of RFC 3986. */
const TOKEN_SHAPE = new RegExp(`^[A-Za-z0-9._~-]{${AGENT_TOKEN_MIN_CHARACTERS},}$`)

/**
 * `registered` means that the challenge has a request, and can be approved only with the request's code
 * (`request-approval.ts`).
 */
export type ApprovalResult =
  | 'granted'
  | 'already_granted'
  | 'taken'
  | 'revoked'
  | 'expired'
  | 'registered'

export type AgentUser = User & {
  tokenExpiresAt: number
  label: string | null
  scopes: Scope[]
  /** The ID is `idOfToken` or `idOfGrant`. */
  credential: { kind: 'agent_token' | 'oauth_client'; id: string }
}

type Lifetime = { createdAt: number; lastUsedAt: number | null; expiresAt: number }

type PlainApproval = {
  challenge: string
  userId: string
  label?: string | null
  scopes?: readonly Scope[]
}

/**
 * The primary key accepts only the first approval. A later approval cannot take over a token of another account
 * (fixation), restore a revoked token, or extend a token. The same statement checks that the challenge has no request,
 * so that no request can be registered between the check and the insertion.
 */
export async function approveAgentToken(
  deps: IdentityDeps,
  { challenge, userId, label = null, scopes = SCOPES }: PlainApproval,
): Promise<ApprovalResult> {
  const { db } = deps
  const now = deps.now()
  const scopeText = scopesOf(scopes).join(' ')
  const inserted = await db
    .insert(agentTokens)
    .select(
      sql`select ${challenge}, ${userId}, ${label}, ${scopeText}, ${now}, null, ${now + AGENT_TOKEN_LIFETIME_MS}, null
          where not exists (select 1 from ${agentRequests} where ${eq(agentRequests.challenge, challenge)})`,
    )
    .onConflictDoNothing({ target: agentTokens.challenge })
    .returning({ challenge: agentTokens.challenge })
  if (inserted.length > 0) return 'granted'
  return (await findTokenState(deps, challenge, userId)) ?? 'registered'
}

/**
 * Returns the state of a token from one account's point of view, or `undefined` if the challenge is not bound to any
 * account.
 */
export async function findTokenState(
  { db, now }: IdentityDeps,
  challenge: string,
  userId: string,
): Promise<Exclude<ApprovalResult, 'granted' | 'registered'> | undefined> {
  const bound = await db
    .select()
    .from(agentTokens)
    .where(eq(agentTokens.challenge, challenge))
    .get()
  if (!bound) return undefined
  if (bound.userId !== userId) return 'taken'
  if (bound.revokedAt !== null) return 'revoked'
  return isTokenExpired(bound, now()) ? 'expired' : 'already_granted'
}

export function isTokenShape(token: string): boolean {
  return TOKEN_SHAPE.test(token)
}

/**
 * Finds the user who approved a token. Returns `undefined` if the token is unknown, revoked, expired, or has been idle
 * for too long.
 */
export async function findAgentUser(
  deps: IdentityDeps,
  token: string,
): Promise<AgentUser | undefined> {
  const { db } = deps
  const now = deps.now()
  const challenge = await hashSecret(token)
  const row = await db
    .select({
      id: users.id,
      email: users.email,
      createdAt: agentTokens.createdAt,
      lastUsedAt: agentTokens.lastUsedAt,
      expiresAt: agentTokens.expiresAt,
      label: agentTokens.label,
      scopes: agentTokens.scopes,
    })
    .from(agentTokens)
    .innerJoin(users, eq(users.id, agentTokens.userId))
    .where(and(eq(agentTokens.challenge, challenge), isNull(agentTokens.revokedAt)))
    .get()
  if (!row || isTokenExpired(row, now)) return undefined

  const staleBefore = now - LAST_USED_INTERVAL_MS
  if (row.lastUsedAt === null || row.lastUsedAt <= staleBefore) {
    const stale = or(isNull(agentTokens.lastUsedAt), lte(agentTokens.lastUsedAt, staleBefore))
    await db
      .update(agentTokens)
      .set({ lastUsedAt: now })
      .where(and(eq(agentTokens.challenge, challenge), stale))
  }
  const { id, email, label, expiresAt: tokenExpiresAt } = row
  const scopes = scopesOf(row.scopes)
  const credential = { kind: 'agent_token', id: idOfToken(challenge) } as const
  return { id, email, tokenExpiresAt, label, scopes, credential }
}

export function isTokenExpired(
  { createdAt, lastUsedAt, expiresAt }: Lifetime,
  now: number,
): boolean {
  return expiresAt <= now || (lastUsedAt ?? createdAt) + AGENT_TOKEN_IDLE_MS <= now
}
