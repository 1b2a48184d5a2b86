/** Account links: usage keys that people keep at the edge for the console (docs/decisions/0155). */
import { and, eq, sql } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { ACCOUNT_LINKS_MAX } from '../../shared/limits.ts'
import { LINK_RANDOM_BYTES } from '../../shared/wire/account-links.ts'
import { accountShares, linkedAccounts } from '../db/schema.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { AccountLinkError } from './account-link-error.ts'
import type { SealedLinkKey } from './seal-link-key.ts'

type LinkDeps = Pick<IdentityDeps, 'db' | 'now' | 'random'>

/** Identifies a link together with its owner. Links of other users are handled like unknown ones. */
export type OwnedLink = { linkId: string; ownerId: string }

export function newLinkId(random: IdentityDeps['random']): string {
  return `acct_${encodeBase64url(random(LINK_RANDOM_BYTES))}`
}

/** @throws {AccountLinkError} if the user has the maximum number of links */
export async function storeLink(
  { db, now }: LinkDeps,
  { linkId, ownerId }: OwnedLink,
  { name, sealedUsageKey, keyHash, accountHash }: SealedLinkKey & { name: string },
): Promise<void> {
  // The count and the insertion are one statement, so that parallel requests cannot exceed the limit.
  const stored = await db
    .insert(linkedAccounts)
    .select(
      sql`select ${linkId}, ${ownerId}, ${name}, ${sealedUsageKey}, ${keyHash}, ${accountHash}, ${now()}, ${now()}
          where (select count(*) from ${linkedAccounts} where ${linkedAccounts.ownerId} = ${ownerId}) < ${ACCOUNT_LINKS_MAX}`,
    )
    .returning({ id: linkedAccounts.id })
  if (stored.length === 0)
    throw new AccountLinkError({ reason: 'too_many_links', max: ACCOUNT_LINKS_MAX })
}

/** @throws {AccountLinkError} if the user has no such link */
export async function findOwnLink(
  { db }: Pick<LinkDeps, 'db'>,
  link: OwnedLink,
): Promise<{ name: string; accountHash: string }> {
  const found = await db
    .select({ name: linkedAccounts.name, accountHash: linkedAccounts.accountHash })
    .from(linkedAccounts)
    .where(ownedBy(link))
    .get()
  return requireFound(found)
}

/** @throws {AccountLinkError} if the user has no such link */
export async function renameLink(
  { db }: Pick<LinkDeps, 'db'>,
  link: OwnedLink,
  name: string,
): Promise<void> {
  const changed = await db
    .update(linkedAccounts)
    .set({ name })
    .where(ownedBy(link))
    .returning({ id: linkedAccounts.id })
  requireFound(changed[0])
}

/** @throws {AccountLinkError} if the user has no such link, or if the key belongs to another account */
export async function replaceLinkKey(
  { db }: Pick<LinkDeps, 'db'>,
  link: OwnedLink,
  { sealedUsageKey, keyHash, accountHash }: SealedLinkKey,
): Promise<void> {
  const known = await findOwnLink({ db }, link)
  // People with whom the account is shared must not suddenly see another account.
  if (known.accountHash !== accountHash) throw new AccountLinkError({ reason: 'other_account' })
  const changed = await db
    .update(linkedAccounts)
    .set({ sealedUsageKey: Buffer.from(sealedUsageKey), keyHash })
    .where(ownedBy(link))
    .returning({ id: linkedAccounts.id })
  requireFound(changed[0])
}

/**
 * Deletes the key and all shares of a link.
 * @throws {AccountLinkError} if the user has no such link
 */
export async function deleteLink({ db }: Pick<LinkDeps, 'db'>, link: OwnedLink): Promise<void> {
  await findOwnLink({ db }, link)
  await db.batch([
    db.delete(accountShares).where(eq(accountShares.accountId, link.linkId)),
    db.delete(linkedAccounts).where(ownedBy(link)),
  ])
}

/** Condition: the link, if it belongs to the owner. */
export function ownedBy({ linkId, ownerId }: OwnedLink) {
  return and(eq(linkedAccounts.id, linkId), eq(linkedAccounts.ownerId, ownerId))
}

/** @throws {AccountLinkError} */
export function requireFound<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new AccountLinkError({ reason: 'unknown' })
  return row
}
