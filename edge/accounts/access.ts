import { and, desc, eq, isNotNull } from 'drizzle-orm'
import type {
  InvitationRecord,
  LinkedAccountRecord,
  LinkedAccounts,
  ShareRecord,
} from '../../shared/wire/account-links.ts'
import { accountShares, linkedAccounts, users } from '../db/schema.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import type { User } from '../identity/users.ts'
import { requireFound } from './links.ts'
import type { LinkRole } from './permitted-operations.ts'
import { isOpenFor } from './shares.ts'

export type LinkAccess = {
  role: LinkRole
  /** The key is bound to the owner. For a shared account, the owner is not the user. */
  ownerId: string
  sealedUsageKey: Uint8Array<ArrayBuffer>
}

/**
 * Returns the stored key of an account that the user has linked, or that is shared with the user.
 * @throws {AccountLinkError} if the user has no access, whether or not the link exists
 */
export async function requireAccess(
  { db }: Pick<IdentityDeps, 'db'>,
  linkId: string,
  userId: string,
): Promise<LinkAccess> {
  const found = await db
    .select({
      ownerId: linkedAccounts.ownerId,
      sealedUsageKey: linkedAccounts.sealedUsageKey,
      scope: accountShares.scope,
    })
    .from(linkedAccounts)
    .leftJoin(accountShares, acceptedBy(userId))
    .where(eq(linkedAccounts.id, linkId))
    .get()
  const { ownerId, sealedUsageKey, scope } = requireFound(found)
  const role = requireFound(ownerId === userId ? 'owner' : (scope ?? undefined))
  return { role, ownerId, sealedUsageKey: Uint8Array.from(sealedUsageKey) }
}

/** Marks the account as the one that the console opens next. @throws {AccountLinkError} without access */
export async function recordOpened(
  { db, now }: Pick<IdentityDeps, 'db' | 'now'>,
  linkId: string,
  userId: string,
): Promise<void> {
  const { role } = await requireAccess({ db }, linkId, userId)
  if (role === 'owner')
    await db
      .update(linkedAccounts)
      .set({ openedAt: now() })
      .where(and(eq(linkedAccounts.id, linkId), eq(linkedAccounts.ownerId, userId)))
  else
    await db
      .update(accountShares)
      .set({ openedAt: now() })
      .where(and(eq(accountShares.accountId, linkId), eq(accountShares.userId, userId)))
}

/** Lists the accounts that the user has linked, and those that are shared with the user, last opened first. */
export async function listAccounts(
  deps: Pick<IdentityDeps, 'db' | 'now'>,
  user: User,
): Promise<LinkedAccounts> {
  const [own, shared, invitations] = await Promise.all([
    listOwn(deps, user),
    listShared(deps, user),
    listInvitations(deps, user),
  ])
  const accounts = [...own, ...shared].toSorted((one, other) => other.opened_at - one.opened_at)
  return { accounts, invitations }
}

async function listOwn(
  { db }: Pick<IdentityDeps, 'db'>,
  user: User,
): Promise<LinkedAccountRecord[]> {
  const isOwn = eq(linkedAccounts.ownerId, user.id)
  const [rows, shares] = await db.batch([
    db.select(LISTED).from(linkedAccounts).where(isOwn).orderBy(desc(linkedAccounts.openedAt)),
    db
      .select({
        id: accountShares.id,
        accountId: accountShares.accountId,
        email: accountShares.email,
        scope: accountShares.scope,
        acceptedAt: accountShares.acceptedAt,
      })
      .from(accountShares)
      .innerJoin(linkedAccounts, eq(linkedAccounts.id, accountShares.accountId))
      .where(isOwn)
      .orderBy(accountShares.email),
  ])
  const sharesOf = (id: string): ShareRecord[] =>
    shares
      .filter(({ accountId }) => accountId === id)
      .map((share) => ({
        id: share.id,
        email: share.email,
        scope: share.scope,
        accepted: share.acceptedAt !== null,
      }))
  return rows.map((row) => ({ ...row, role: 'owner', shares: sharesOf(row.id) }))
}

async function listShared(
  { db }: Pick<IdentityDeps, 'db'>,
  user: User,
): Promise<LinkedAccountRecord[]> {
  const rows = await db
    .select({
      ...LISTED,
      shared_by: users.email,
      scope: accountShares.scope,
      openedAt: accountShares.openedAt,
    })
    .from(linkedAccounts)
    .innerJoin(accountShares, acceptedBy(user.id))
    .innerJoin(users, eq(users.id, linkedAccounts.ownerId))
  return rows.map(({ scope, openedAt, ...row }) => ({
    ...row,
    role: scope,
    opened_at: openedAt ?? 0,
  }))
}

function listInvitations(
  { db, now }: Pick<IdentityDeps, 'db' | 'now'>,
  user: User,
): Promise<InvitationRecord[]> {
  return db
    .select({
      id: accountShares.id,
      name: linkedAccounts.name,
      scope: accountShares.scope,
      shared_by: users.email,
    })
    .from(accountShares)
    .innerJoin(linkedAccounts, eq(linkedAccounts.id, accountShares.accountId))
    .innerJoin(users, eq(users.id, linkedAccounts.ownerId))
    .where(isOpenFor(user, now()))
}

function acceptedBy(userId: string) {
  return and(
    eq(accountShares.accountId, linkedAccounts.id),
    eq(accountShares.userId, userId),
    isNotNull(accountShares.acceptedAt),
  )
}

const LISTED = {
  id: linkedAccounts.id,
  name: linkedAccounts.name,
  key_hash: linkedAccounts.keyHash,
  account_hash: linkedAccounts.accountHash,
  opened_at: linkedAccounts.openedAt,
}
