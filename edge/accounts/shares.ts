/** People with whom an account link is shared. An invitation is accepted with the invited e-mail address. */
import { and, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { ACCOUNT_SHARES_MAX, INVITATION_LIFETIME_MS } from '../../shared/limits.ts'
import { LINK_RANDOM_BYTES, type ShareScope } from '../../shared/wire/account-links.ts'
import { accountShares, linkedAccounts, users } from '../db/schema.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import type { User } from '../identity/users.ts'
import { AccountLinkError } from './account-link-error.ts'
import { findOwnLink, ownedBy, type OwnedLink, requireFound } from './links.ts'

/**
 * Invites a person. An invitation that has expired is replaced.
 * @param email in the form that `parseEmail` returns
 * @returns the name of the account
 * @throws {AccountLinkError} if the owner has no such link, the person has access or an invitation already, or the maximum
 *   is reached
 */
export async function inviteToAccount(
  { db, now, random }: IdentityDeps,
  { linkId, owner }: { linkId: string; owner: User },
  { email, scope }: { email: string; scope: ShareScope },
): Promise<string> {
  if (email === owner.email) throw new AccountLinkError({ reason: 'own_address' })
  const { name } = await findOwnLink({ db }, { linkId, ownerId: owner.id })
  const { accountId, acceptedAt, invitedAt } = accountShares
  const isExpired = and(isNull(acceptedAt), lte(invitedAt, now() - INVITATION_LIFETIME_MS))
  await db.delete(accountShares).where(and(eq(accountId, linkId), isExpired))
  const id = `shar_${encodeBase64url(random(LINK_RANDOM_BYTES))}`
  const stored = await db
    .insert(accountShares)
    .select(
      sql`select ${id}, ${linkId}, ${email}, null, ${scope}, ${now()}, null, null
          where exists (select 1 from ${linkedAccounts} where ${ownedBy({ linkId, ownerId: owner.id })})
            and (select count(*) from ${accountShares} where ${accountId} = ${linkId}) < ${ACCOUNT_SHARES_MAX}`,
    )
    .onConflictDoNothing({ target: [accountShares.accountId, accountShares.email] })
    .returning({ id: accountShares.id })
  if (stored.length > 0) return name
  // The link may have been removed in the meantime.
  await findOwnLink({ db }, { linkId, ownerId: owner.id })
  const known = and(eq(accountId, linkId), eq(accountShares.email, email))
  throw new AccountLinkError(
    (await db.$count(accountShares, known)) > 0
      ? { reason: 'already_shared' }
      : { reason: 'too_many_shares', max: ACCOUNT_SHARES_MAX },
  )
}

export type AcceptedShare = { owner: User; name: string; scope: ShareScope }

/**
 * Accepts an invitation, which is bound to the user from then on.
 * @throws {AccountLinkError} if this person has no such invitation, or if it has expired
 */
export async function acceptInvitation(
  { db, now }: Pick<IdentityDeps, 'db' | 'now'>,
  shareId: string,
  user: User,
): Promise<AcceptedShare> {
  const accepted = await db
    .update(accountShares)
    .set({ userId: user.id, acceptedAt: now(), openedAt: now() })
    .where(and(eq(accountShares.id, shareId), isOpenFor(user, now())))
    .returning({ accountId: accountShares.accountId, scope: accountShares.scope })
  const { accountId, scope } = requireFound(accepted[0])
  const account = await db
    .select({ name: linkedAccounts.name, id: users.id, email: users.email })
    .from(linkedAccounts)
    .innerJoin(users, eq(users.id, linkedAccounts.ownerId))
    .where(eq(linkedAccounts.id, accountId))
    .get()
  const { name, ...owner } = requireFound(account)
  return { owner, name, scope }
}

/** @throws {AccountLinkError} if this person has no such invitation */
export async function declineInvitation(
  { db, now }: Pick<IdentityDeps, 'db' | 'now'>,
  shareId: string,
  user: User,
): Promise<void> {
  const declined = await db
    .delete(accountShares)
    .where(and(eq(accountShares.id, shareId), isOpenFor(user, now())))
    .returning({ id: accountShares.id })
  requireFound(declined[0])
}

/**
 * Removes a person or an invitation. It takes effect with the next request.
 * @throws {AccountLinkError} if the owner has no such share
 */
export async function removeShare(
  { db }: Pick<IdentityDeps, 'db'>,
  link: OwnedLink,
  shareId: string,
): Promise<void> {
  await findOwnLink({ db }, link)
  const removed = await db
    .delete(accountShares)
    .where(and(eq(accountShares.id, shareId), eq(accountShares.accountId, link.linkId)))
    .returning({ id: accountShares.id })
  requireFound(removed[0])
}

/** @throws {AccountLinkError} if the account is not shared with this user */
export async function leaveAccount(
  { db }: Pick<IdentityDeps, 'db'>,
  linkId: string,
  userId: string,
): Promise<void> {
  const { accountId, userId: member, acceptedAt, id } = accountShares
  const left = await db
    .delete(accountShares)
    .where(and(eq(accountId, linkId), eq(member, userId), isNotNull(acceptedAt)))
    .returning({ id })
  requireFound(left[0])
}

/** Condition: an invitation of this person that can still be accepted. */
export function isOpenFor({ email }: Pick<User, 'email'>, now: number) {
  return and(
    eq(accountShares.email, email),
    isNull(accountShares.acceptedAt),
    gt(accountShares.invitedAt, now - INVITATION_LIFETIME_MS),
  )
}

/** Condition: rows of `account_shares` that a user has accepted or was invited to. */
export const concerns = ({ id, email }: User) =>
  or(eq(accountShares.userId, id), eq(accountShares.email, email))
