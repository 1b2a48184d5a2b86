import { and, eq, exists, sql } from 'drizzle-orm'
import { AGENT_TOKEN_LIFETIME_MS } from '../../shared/limits.ts'
import type { EndedRequestCode } from '../../shared/wire/ended-request-codes.ts'
import { agentRequests, agentTokens, oauthGrants } from '../db/schema.ts'
import {
  type AuthorizationRequest,
  openRequestCondition,
  type AgentRequestDeps,
  findAgentRequest,
} from './agent-requests.ts'
import { type ApprovalResult, findTokenState } from './agent-tokens.ts'
import { deleteExpired } from './delete-expired.ts'
import { isUserCode } from './user-code.ts'

type FinalState = Exclude<ApprovalResult, 'registered'> | EndedRequestCode

type RequestApprovalResult = FinalState | { wrongCode: true; attemptsLeft: number }

/**
 * Concurrent guesses are counted like sequential ones. After the last attempt, a correct code gets the same response as
 * a wrong one.
 * @param code code as returned by `parseCrockfordCode`
 */
export async function approveRequest(
  deps: AgentRequestDeps,
  request: AuthorizationRequest,
  { code, userId }: { code: string; userId: string },
): Promise<RequestApprovalResult> {
  const isCorrect = await isUserCode(deps.settings.ID_MAC_KEY, request, code)
  const bind = request.clientId === null ? bindToken : bindGrant
  if (isCorrect && (await bind(deps, request, userId))) return 'granted'
  const attemptsLeft = isCorrect ? 0 : await countAttempt(deps, request.id)
  if (attemptsLeft > 0) return { wrongCode: true, attemptsLeft }
  return findFinalState(deps, request.challenge, userId)
}

/** Binds the request's token to the account and closes the request, both in one transaction. */
async function bindToken(
  { db, now }: AgentRequestDeps,
  { id, challenge }: AuthorizationRequest,
  userId: string,
): Promise<boolean> {
  const at = now()
  const open = openRequestCondition(id, at)
  const bound = db
    .select({ one: sql`1` })
    .from(agentTokens)
    .where(and(eq(agentTokens.challenge, challenge), eq(agentTokens.userId, userId)))
  const [inserted] = await db.batch([
    db
      .insert(agentTokens)
      .select(
        sql`select ${agentRequests.challenge}, ${userId}, ${agentRequests.label}, ${agentRequests.scopes},
            ${at}, null, ${at + AGENT_TOKEN_LIFETIME_MS}, null from ${agentRequests} where ${open}`,
      )
      .onConflictDoNothing({ target: agentTokens.challenge })
      .returning({ challenge: agentTokens.challenge }),
    db
      .update(agentRequests)
      .set({ outcome: 'approved' })
      .where(and(open, exists(bound))),
  ])
  return inserted.length > 0
}

/**
 * Stores the grant of a device code and closes the request, both in one transaction. The grant has the request's ID, so
 * that only one can exist. It ends with the device code, unless the code is exchanged before.
 */
async function bindGrant(
  { db, now }: AgentRequestDeps,
  { id }: AuthorizationRequest,
  userId: string,
): Promise<boolean> {
  const at = now()
  await deleteExpired(db, { table: oauthGrants, key: oauthGrants.id, upTo: at })
  const open = openRequestCondition(id, at)
  const bound = db
    .select({ one: sql`1` })
    .from(oauthGrants)
    .where(and(eq(oauthGrants.id, id), eq(oauthGrants.userId, userId)))
  const [inserted] = await db.batch([
    db
      .insert(oauthGrants)
      .select(
        sql`select ${agentRequests.id}, ${userId}, ${agentRequests.clientId}, ${agentRequests.label}, '',
            ${agentRequests.scopes}, '', '', null, null, null, null, ${at}, null, ${agentRequests.expiresAt}, null
            from ${agentRequests} where ${open}`,
      )
      .onConflictDoNothing({ target: oauthGrants.id })
      .returning({ id: oauthGrants.id }),
    db
      .update(agentRequests)
      .set({ outcome: 'approved' })
      .where(and(open, exists(bound))),
  ])
  return inserted.length > 0
}

/**
 * Counts a failed attempt. The last failed attempt locks the request.
 * @returns the number of remaining attempts
 */
async function countAttempt({ db, now }: AgentRequestDeps, requestId: string): Promise<number> {
  const counted = await db
    .update(agentRequests)
    .set({
      attemptsLeft: sql`${agentRequests.attemptsLeft} - 1`,
      outcome: sql`case when ${agentRequests.attemptsLeft} <= 1 then 'locked' end`,
    })
    .where(openRequestCondition(requestId, now()))
    .returning({ attemptsLeft: agentRequests.attemptsLeft })
  return counted[0]?.attemptsLeft ?? 0
}

export async function findFinalState(
  deps: AgentRequestDeps,
  challenge: string,
  userId: string,
): Promise<FinalState> {
  const tokenState = await findTokenState(deps, challenge, userId)
  if (tokenState) return tokenState
  const request = await findAgentRequest(deps, challenge)
  const state = request?.state
  if (request && state === 'approved') return findGrantState(deps, request.id, userId)
  // The request can be open here only if the clock was set back, and missing only if its row was deleted, which happens
  // a day after it expires.
  return state === undefined || state === 'open' || state === 'approved' ? 'request_expired' : state
}

/** A missing grant has expired. */
async function findGrantState(
  { db, now }: AgentRequestDeps,
  id: string,
  userId: string,
): Promise<FinalState> {
  const grant = await db.select().from(oauthGrants).where(eq(oauthGrants.id, id)).get()
  if (!grant || grant.expiresAt <= now()) return 'request_expired'
  if (grant.userId !== userId) return 'taken'
  return grant.revokedAt === null ? 'already_granted' : 'revoked'
}
