/** Grants: what a person authorized a client to do (docs/decisions/0144). */
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import {
  AGENT_TOKEN_IDLE_MS,
  AGENT_TOKEN_LIFETIME_MS,
  OAUTH_ACCESS_TOKEN_LIFETIME_MS,
  OAUTH_CODE_LIFETIME_MS,
} from '../../shared/limits.ts'
import { type Scope, scopesOf } from '../../shared/wire/agent.ts'
import { oauthGrants } from '../db/schema.ts'
import { deleteExpired } from '../identity/delete-expired.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { issueToken, newGrantId } from './token-text.ts'

export type Grant = typeof oauthGrants.$inferSelect

/** Maximum number of listed grants, like `TOKENS_LISTED`. */
const GRANTS_LISTED = 200

type Approval = {
  request: AuthorizationRequest
  clientName: string
  userId: string
  scopes: readonly Scope[]
}

/** Stores a grant. @returns the authorization code, which the client exchanges for tokens */
export async function approveGrant(
  deps: IdentityDeps,
  { request, clientName, userId, scopes }: Approval,
): Promise<string> {
  const { db, random } = deps
  const now = deps.now()
  const id = newGrantId(random)
  const code = await issueToken('code', id, random)
  await deleteExpired(db, { table: oauthGrants, key: oauthGrants.id, upTo: now })
  const { clientId, redirectUri, codeChallenge } = request
  await db.insert(oauthGrants).values({
    id,
    userId,
    clientId,
    clientName,
    redirectUri,
    scopes: scopesOf(scopes).join(' '),
    codeHash: code.hash,
    codeChallenge,
    createdAt: now,
    // A grant whose code is not exchanged ends with the code.
    expiresAt: now + OAUTH_CODE_LIFETIME_MS,
  })
  return code.text
}

/** Times of a grant whose tokens are issued now: it ends after its lifetime, or earlier if it is not refreshed. */
export function lifetimesOf({ createdAt }: Pick<Grant, 'createdAt'>, now: number) {
  const expiresAt = Math.min(createdAt + AGENT_TOKEN_LIFETIME_MS, now + AGENT_TOKEN_IDLE_MS)
  return { expiresAt, accessExpiresAt: Math.min(now + OAUTH_ACCESS_TOKEN_LIFETIME_MS, expiresAt) }
}

/** Revokes a grant with all of its tokens, permanently. */
export async function revokeGrant({ db, now }: IdentityDeps, id: string): Promise<void> {
  await db
    .update(oauthGrants)
    .set({ revokedAt: now() })
    .where(and(eq(oauthGrants.id, id), isNull(oauthGrants.revokedAt)))
}

/** @returns false if the grant does not belong to this account */
export async function revokeOwnGrant(
  deps: IdentityDeps,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const owned = and(eq(oauthGrants.id, id), eq(oauthGrants.userId, userId))
  if ((await deps.db.$count(oauthGrants, owned)) === 0) return false
  await revokeGrant(deps, id)
  return true
}

export async function revokeAllGrants({ db, now }: IdentityDeps, userId: string): Promise<void> {
  await db
    .update(oauthGrants)
    .set({ revokedAt: now() })
    .where(and(eq(oauthGrants.userId, userId), isNull(oauthGrants.revokedAt)))
}

/** Lists the grants whose code was exchanged: first those that are not revoked, each newest first. */
export function listGrants({ db }: IdentityDeps, userId: string): Promise<Grant[]> {
  return db
    .select()
    .from(oauthGrants)
    .where(and(eq(oauthGrants.userId, userId), isNotNull(oauthGrants.codeUsedAt)))
    .orderBy(sql`${oauthGrants.revokedAt} is not null`, desc(oauthGrants.createdAt), oauthGrants.id)
    .limit(GRANTS_LISTED)
}
