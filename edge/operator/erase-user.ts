import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import { concerns } from '../accounts/shares.ts'
import {
  accountShares,
  actions,
  actionVersions,
  agentRequests,
  agentTokens,
  linkedAccounts,
  localMailbox,
  magicLinks,
  oauthGrants,
  passkeyChallenges,
  passkeys,
  sessions,
  triggers,
  users,
} from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { OperatorDeps } from './deps.ts'
import type { User } from '../identity/users.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import { indexUsage } from '../triggers/trigger-index.ts'

/** Triggers that one request deletes, because a request may start a limited number of subrequests. */
const PAGE_TRIGGERS = 100

export async function planErasure(db: OperatorDeps['db'], { id }: User) {
  return {
    user_id: id,
    sessions: await db.$count(sessions, eq(sessions.userId, id)),
    passkeys: await db.$count(passkeys, eq(passkeys.userId, id)),
    tokens: await db.$count(
      agentTokens,
      and(eq(agentTokens.userId, id), isNull(agentTokens.revokedAt)),
    ),
    linked_accounts: await db.$count(linkedAccounts, eq(linkedAccounts.ownerId, id)),
    triggers: (await indexUsage(db, id)).triggers,
  }
}

/**
 * First deletes everything that identifies the user or grants access, in one transaction, so that the user cannot
 * create further triggers. Then deletes a page of triggers with their runs and usage keys.
 *
 * The rows of the user and of the revoked tokens stay without an address and labels: a token can never be approved
 * again.
 * @returns the number of triggers that are left; the command has to be repeated until it is 0
 */
export async function eraseUser(
  env: Env,
  { db, now }: Pick<OperatorDeps, 'db' | 'now'>,
  { id, email }: User,
): Promise<{ triggers_left: number }> {
  const challenges = db
    .select({ challenge: agentTokens.challenge })
    .from(agentTokens)
    .where(eq(agentTokens.userId, id))
  const ownActions = db.select({ id: actions.id }).from(actions).where(eq(actions.ownerId, id))
  const ofUser = eq(agentTokens.userId, id)
  const links = db
    .select({ id: linkedAccounts.id })
    .from(linkedAccounts)
    .where(eq(linkedAccounts.ownerId, id))
  await db.batch([
    db.delete(agentRequests).where(inArray(agentRequests.challenge, challenges)),
    db
      .update(agentTokens)
      .set({ revokedAt: now() })
      .where(and(ofUser, isNull(agentTokens.revokedAt))),
    db.update(agentTokens).set({ label: null }).where(ofUser),
    db.delete(actionVersions).where(inArray(actionVersions.actionId, ownActions)),
    db.delete(actions).where(eq(actions.ownerId, id)),
    db.delete(oauthGrants).where(eq(oauthGrants.userId, id)),
    db.delete(sessions).where(eq(sessions.userId, id)),
    db
      .delete(accountShares)
      .where(or(inArray(accountShares.accountId, links), concerns({ id, email }))),
    db.delete(linkedAccounts).where(eq(linkedAccounts.ownerId, id)),
    db.delete(passkeys).where(eq(passkeys.userId, id)),
    db.delete(passkeyChallenges).where(eq(passkeyChallenges.userId, id)),
    db.delete(magicLinks).where(eq(magicLinks.email, email)),
    db.delete(localMailbox).where(eq(localMailbox.recipient, email)),
    // Not an address, so no one can sign in as this user.
    db
      .update(users)
      .set({ email: `erased:${id}` })
      .where(eq(users.id, id)),
  ])
  const page = await db
    .select({ id: triggers.id })
    .from(triggers)
    .where(eq(triggers.ownerId, id))
    .limit(PAGE_TRIGGERS)
  await Promise.all(
    page.map(async (trigger) => {
      const queue: Pick<TriggerObject, 'remove'> = env.TRIGGER_QUEUE.getByName(trigger.id)
      await queue.remove(id)
    }),
  )
  // After the triggers, so that none of them reports afterwards.
  await env.USER_REPORTS.getByName(id).erase()
  return { triggers_left: (await indexUsage(db, id)).triggers }
}
