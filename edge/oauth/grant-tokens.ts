/** Exchanges codes and refresh tokens, and finds the users of access tokens. */
import { and, eq, gt, isNull } from 'drizzle-orm'
import { type Scope, scopesOf } from '../../shared/wire/agent.ts'
import { oauthGrants, users } from '../db/schema.ts'
import type { AgentUser } from '../identity/agent-tokens.ts'
import { idOfGrant } from '../identity/credential-id.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { hashSecret } from '../identity/secret.ts'
import { type Grant, lifetimesOf, revokeGrant } from './grants.ts'
import { OAuthError } from './oauth-error.ts'
import { isSameHash, issueToken, parseToken } from './token-text.ts'

export type IssuedTokens = {
  accessToken: string
  refreshToken: string
  expiresInS: number
  scopes: Scope[]
}

type CodeExchange = {
  code: string
  clientId: string
  /** Optional, because OAuth 2.1 does not send it again. */
  redirectUri: string | undefined
  codeVerifier: string
}

type RefreshRequest = {
  refreshToken: string
  clientId: string
  /** Scopes that the client names, which must have been granted. */
  scopes: readonly Scope[]
}

/** The same message for all reasons, because only the owner of a code or token may know its state. */
export const unusable = () =>
  new OAuthError(
    'invalid_grant',
    'The code or token is invalid, expired, revoked, or was used before.',
  )

/** Minimum interval between updates of `last_used_at`. */
const LAST_USED_INTERVAL_MS = 60_000

/**
 * Exchanges a code once. A second exchange of a valid code revokes the tokens of the first, because one of the two
 * clients has stolen it (RFC 6749, 4.1.2).
 * @throws {OAuthError} `invalid_grant`
 */
export async function exchangeCode(
  deps: IdentityDeps,
  { code, clientId, redirectUri, codeVerifier }: CodeExchange,
): Promise<IssuedTokens> {
  const parsed = await parseToken('code', code)
  const grant = parsed && (await findGrant(deps, parsed.grantId))
  if (!grant || !isSameHash(grant.codeHash, parsed.hash)) throw unusable()
  if (grant.clientId !== clientId) throw unusable()
  if (redirectUri !== undefined && grant.redirectUri !== redirectUri) throw unusable()
  if (!isSameHash(grant.codeChallenge, await hashSecret(codeVerifier))) throw unusable()
  return issueOnce(deps, grant)
}

/**
 * Issues the first tokens of a grant. A second call revokes the grant.
 * @throws {OAuthError} `invalid_grant`
 */
export async function issueOnce(deps: IdentityDeps, grant: Grant): Promise<IssuedTokens> {
  const { db } = deps
  const now = deps.now()
  if (grant.codeUsedAt === null && grant.expiresAt <= now) throw unusable()
  const tokens = await issueTokens(deps, grant)
  const unused = and(
    eq(oauthGrants.id, grant.id),
    isNull(oauthGrants.codeUsedAt),
    isNull(oauthGrants.revokedAt),
    gt(oauthGrants.expiresAt, now),
  )
  const stored = await db
    .update(oauthGrants)
    .set({ ...tokens.columns, codeUsedAt: now })
    .where(unused)
    .returning({ id: oauthGrants.id })
  if (stored.length > 0) return tokens.issued
  await revokeGrant(deps, grant.id)
  throw unusable()
}

/**
 * Replaces both tokens of a grant. A refresh token that was replaced before revokes the grant, because one of the two
 * clients has stolen it (RFC 9700, 4.14.2).
 * @throws {OAuthError} `invalid_grant`; `invalid_scope` for a scope that was not granted
 */
export async function refreshTokens(
  deps: IdentityDeps,
  { refreshToken, clientId, scopes }: RefreshRequest,
): Promise<IssuedTokens> {
  const { db } = deps
  const now = deps.now()
  const parsed = await parseToken('refresh', refreshToken)
  const grant = parsed && (await findGrant(deps, parsed.grantId))
  if (!grant || grant.clientId !== clientId || grant.revokedAt !== null || grant.expiresAt <= now)
    throw unusable()
  if (scopes.some((scope) => !scopesOf(grant.scopes).includes(scope)))
    throw new OAuthError('invalid_scope', 'scope: was not granted')
  const tokens = await issueTokens(deps, grant)
  const current = and(
    eq(oauthGrants.id, grant.id),
    eq(oauthGrants.refreshHash, parsed.hash),
    isNull(oauthGrants.revokedAt),
  )
  const stored = await db
    .update(oauthGrants)
    .set(tokens.columns)
    .where(current)
    .returning({ id: oauthGrants.id })
  if (stored.length > 0) return tokens.issued
  // Only tokens contain the ID of a grant, so a token with another secret is an earlier one.
  await revokeGrant(deps, grant.id)
  throw unusable()
}

/** Revokes the grant of an access or refresh token. Ignores any other text (RFC 7009, 2.2). */
export async function revokeByToken(
  deps: IdentityDeps,
  { token, clientId }: { token: string; clientId: string },
): Promise<void> {
  const access = await parseToken('access', token)
  const parsed = access ?? (await parseToken('refresh', token))
  const grant = parsed && (await findGrant(deps, parsed.grantId))
  if (!grant || grant.clientId !== clientId) return
  const stored = access ? grant.accessHash : grant.refreshHash
  if (isSameHash(stored, parsed.hash)) await revokeGrant(deps, grant.id)
}

/** Finds the user of an access token. Returns `undefined` if the token is unknown, replaced, revoked or expired. */
export async function findGrantUser(
  deps: IdentityDeps,
  token: string,
): Promise<AgentUser | undefined> {
  const { db } = deps
  const now = deps.now()
  const parsed = await parseToken('access', token)
  if (!parsed) return undefined
  const found = await db
    .select({ grant: oauthGrants, email: users.email })
    .from(oauthGrants)
    .innerJoin(users, eq(users.id, oauthGrants.userId))
    .where(eq(oauthGrants.id, parsed.grantId))
    .get()
  if (!found) return undefined
  const { id, userId, clientName, scopes, accessHash, accessExpiresAt, lastUsedAt, revokedAt } =
    found.grant
  if (!isSameHash(accessHash, parsed.hash) || revokedAt !== null) return undefined
  if (accessExpiresAt === null || accessExpiresAt <= now) return undefined
  if (lastUsedAt === null || lastUsedAt <= now - LAST_USED_INTERVAL_MS)
    await db.update(oauthGrants).set({ lastUsedAt: now }).where(eq(oauthGrants.id, id))
  return {
    id: userId,
    email: found.email,
    label: clientName,
    scopes: scopesOf(scopes),
    tokenExpiresAt: accessExpiresAt,
    credential: { kind: 'oauth_client', id: idOfGrant(id) },
  }
}

export function findGrant({ db }: IdentityDeps, id: string): Promise<Grant | undefined> {
  return db.select().from(oauthGrants).where(eq(oauthGrants.id, id)).get()
}

async function issueTokens({ now, random }: IdentityDeps, grant: Grant) {
  const at = now()
  const [access, refresh] = await Promise.all([
    issueToken('access', grant.id, random),
    issueToken('refresh', grant.id, random),
  ])
  const lifetimes = lifetimesOf(grant, at)
  const issued: IssuedTokens = {
    accessToken: access.text,
    refreshToken: refresh.text,
    expiresInS: Math.floor((lifetimes.accessExpiresAt - at) / 1000),
    scopes: scopesOf(grant.scopes),
  }
  return {
    issued,
    columns: { ...lifetimes, accessHash: access.hash, refreshHash: refresh.hash },
  }
}
