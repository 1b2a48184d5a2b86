/**
 * Authorization requests that programs register before a person opens their link: agents (docs/decisions/0049), and
 * OAuth clients of devices (docs/decisions/0147). Once a request for a challenge exists, whether open or closed, the
 * challenge can be approved only with the request's code.
 */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import {
  AGENT_REQUEST_RETENTION_MS,
  AGENT_REQUEST_LIFETIME_MS,
  USER_CODE_ATTEMPTS,
} from '../../shared/limits.ts'
import type { EndedRequestCode } from '../../shared/wire/ended-request-codes.ts'
import { type Scope, SCOPES, scopesOf } from '../../shared/wire/agent.ts'
import { agentRequests, agentTokens, DEVICE_REQUEST } from '../db/schema.ts'
import { deleteExpired } from './delete-expired.ts'
import type { IdentityDeps, MacDeps } from './deps.ts'
import { hashSecret } from './secret.ts'
import { deviceCodeHash, newUserCode, userCodeHash } from './user-code.ts'

/** `ID_MAC_KEY` is the key of the MAC that is stored for each user code. */
export type AgentRequestDeps = IdentityDeps & MacDeps

/** Length of a request ID. With 128 random bits, collisions are negligible. */
const REQUEST_ID_BYTES = 16

/**
 * Number of old requests to delete per insertion. It is greater than one, so that the table shrinks again after a flood
 * of requests.
 */
const CLEANUP_BATCH_ROWS = 20

export type AuthorizationRequest = {
  id: string
  challenge: string
  label: string
  scopes: Scope[]
  userCodeHash: string
  attemptsLeft: number
  expiresAt: number
  /** OAuth client that requested a device code. Null for an agent. */
  clientId: string | null
  state: 'open' | 'approved' | EndedRequestCode
}

/**
 * Maximum number of stored requests, which take about 300 MB of the database's 10 GB. Rate limits apply per address, so
 * a client with many addresses could otherwise fill the database. New requests do not evict closed ones, because a
 * flood would then erase refusals.
 */
export const REQUESTS_MAX = 1_000_000

export type RegisteredRequest = { id: string; userCode: string; expiresAt: number }

/**
 * Thrown if the table of requests is full. It stays full until old requests expire. In the meantime, agents can still
 * use the approval link without a request.
 */
export class AgentRequestsFullError extends Error {
  override name = 'AgentRequestsFullError'
}

type NewRequest = {
  challenge: string
  label: string
  scopes?: readonly Scope[] | undefined
  clientId?: string
}

/**
 * Returns `undefined` if the challenge already has a request or is bound to an account, or if another device has the
 * same user code. A single statement checks and inserts, so that the challenge cannot be approved between the two steps.
 * @throws {AgentRequestsFullError} if the table of requests is full
 */
export async function registerRequest(
  deps: AgentRequestDeps,
  { challenge, label, scopes = SCOPES, clientId }: NewRequest,
): Promise<RegisteredRequest | undefined> {
  const { db, random, settings } = deps
  const now = deps.now()
  const upTo = now - AGENT_REQUEST_RETENTION_MS
  const maxRows = CLEANUP_BATCH_ROWS
  await deleteExpired(db, { table: agentRequests, key: agentRequests.id, upTo, maxRows })
  const id = encodeBase64url(random(REQUEST_ID_BYTES))
  const userCode = newUserCode(random)
  const expiresAt = now + AGENT_REQUEST_LIFETIME_MS
  const hash = await userCodeHash(settings.ID_MAC_KEY, { id, clientId: clientId ?? null }, userCode)
  const scopeText = scopesOf(scopes).join(' ')
  const isCodeFree =
    clientId === undefined
      ? sql`true`
      : sql`not exists (select 1 from ${agentRequests} where ${deviceCodeCondition(hash)})`
  const stored = await db
    .insert(agentRequests)
    .select(
      sql`select ${id}, ${challenge}, ${label}, ${scopeText}, ${hash}, ${USER_CODE_ATTEMPTS}, ${now}, ${expiresAt}, null,
          ${clientId ?? null}
          where not exists (select 1 from ${agentTokens} where ${eq(agentTokens.challenge, challenge)})
          and ${isCodeFree} and ${hasRoomCondition()}`,
    )
    .onConflictDoNothing({ target: agentRequests.challenge })
    .returning({ id: agentRequests.id })
  if (stored.length > 0) return { id, userCode, expiresAt }
  if (await isFull(deps)) throw new AgentRequestsFullError('too many pending requests')
}

/**
 * SQL condition: the table has room for another request. Estimates the number of rows from the oldest and newest row
 * IDs, which is cheap. The estimate is accurate, because the oldest rows are deleted first and leave few gaps.
 */
function hasRoomCondition(): SQL {
  return sql`(select coalesce(max(rowid) - min(rowid) + 1, 0) from ${agentRequests}) < ${REQUESTS_MAX}`
}

async function isFull({ db }: IdentityDeps): Promise<boolean> {
  const row = await db.get<{ room: number }>(sql`select ${hasRoomCondition()} as room`)
  return row?.room === 0
}

export async function findAgentRequest(
  { db, now }: IdentityDeps,
  challenge: string,
): Promise<AuthorizationRequest | undefined> {
  const row = await db
    .select()
    .from(agentRequests)
    .where(eq(agentRequests.challenge, challenge))
    .get()
  return row && { ...row, scopes: scopesOf(row.scopes), state: stateOf(row, now()) }
}

/** SQL condition: the request of a device has this hash of its user code. */
function deviceCodeCondition(hash: string): SQL | undefined {
  return and(eq(agentRequests.userCodeHash, hash), sql.raw(DEVICE_REQUEST))
}

/** @param code code as returned by `parseCrockfordCode` */
export async function findOpenDeviceRequest(
  { db, now, settings }: AgentRequestDeps,
  code: string,
): Promise<AuthorizationRequest | undefined> {
  const hash = await deviceCodeHash(settings.ID_MAC_KEY, code)
  const row = await db.select().from(agentRequests).where(deviceCodeCondition(hash)).get()
  const state = row && stateOf(row, now())
  return row && state === 'open' ? { ...row, scopes: scopesOf(row.scopes), state } : undefined
}

/**
 * Returns the reason why a token's request has ended, or `undefined` if the request is open, approved or unknown.
 * Requires the token itself, so that a caller that knows only the challenge cannot query the request.
 */
export async function findEndedRequest(
  deps: IdentityDeps,
  token: string,
): Promise<EndedRequestCode | undefined> {
  const state = (await findAgentRequest(deps, await hashSecret(token)))?.state
  return state === 'open' || state === 'approved' ? undefined : state
}

/** @returns false if the request was not open */
export async function refuseRequest(
  { db, now }: IdentityDeps,
  requestId: string,
): Promise<boolean> {
  const refused = await db
    .update(agentRequests)
    .set({ outcome: 'refused' })
    .where(openRequestCondition(requestId, now()))
    .returning({ id: agentRequests.id })
  return refused.length > 0
}

/** SQL condition: the request can still be approved or refused, or lose an attempt. */
export function openRequestCondition(requestId: string, now: number): SQL | undefined {
  return and(
    eq(agentRequests.id, requestId),
    isNull(agentRequests.outcome),
    gt(agentRequests.attemptsLeft, 0),
    gt(agentRequests.expiresAt, now),
  )
}

function stateOf(
  { outcome, expiresAt }: typeof agentRequests.$inferSelect,
  now: number,
): AuthorizationRequest['state'] {
  if (outcome === 'refused') return 'request_refused'
  if (outcome === 'locked') return 'request_locked'
  if (outcome === 'approved') return 'approved'
  return expiresAt <= now ? 'request_expired' : 'open'
}
