/**
 * Magic links for sign-in (docs/decisions/0048). A link can be used once, within 15 minutes. Only the SHA-256 of its
 * secret is stored.
 */
import { and, eq, gt, isNull, min, or, type SQL, sql } from 'drizzle-orm'
import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'
import { magicLinks } from '../db/schema.ts'
import { deleteExpired } from './delete-expired.ts'
import type { IdentityDeps } from './deps.ts'
import { splitEmail } from './email-address.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'

/**
 * Maximum number of open links per mailbox. Allows repeated requests if delivery is slow, but prevents flooding of
 * someone else's inbox.
 */
export const LINKS_PER_MAILBOX = 5

type IssueResult = { issued: true; secret: string } | { issued: false; retryAfterMs: number }

/**
 * `email` must come from `parseEmail`, and `next` from `safeNext`. A single statement counts and inserts, so that
 * concurrent requests cannot exceed the limit.
 */
export async function issueMagicLink(
  deps: IdentityDeps,
  { email, next }: { email: string; next: string },
): Promise<IssueResult> {
  const { db, random } = deps
  const now = deps.now()
  await deleteExpired(db, { table: magicLinks, key: magicLinks.secretHash, upTo: now })
  const secret = newSecret(random)
  const hash = await hashSecret(secret)
  const open = and(sameMailboxCondition(email), gt(magicLinks.expiresAt, now))
  const stored = await db
    .insert(magicLinks)
    .select(
      sql`select ${hash}, ${email}, ${next}, ${now}, ${now + MAGIC_LINK_LIFETIME_MS}, null
          where (select count(*) from ${magicLinks} where ${open}) < ${LINKS_PER_MAILBOX}`,
    )
    .returning({ hash: magicLinks.secretHash })
  if (stored.length > 0) return { issued: true, secret }

  const oldest = await db
    .select({ expiresAt: min(magicLinks.expiresAt) })
    .from(magicLinks)
    .where(open)
    .get()
  return { issued: false, retryAfterMs: (oldest?.expiresAt ?? now + MAGIC_LINK_LIFETIME_MS) - now }
}

/**
 * Withdraws a link whose mail could not be sent. The link no longer counts towards the mailbox's limit, and does not
 * work if the mail arrives after all.
 */
export async function withdrawMagicLink(deps: IdentityDeps, secret: string): Promise<void> {
  const bySecret = eq(magicLinks.secretHash, await hashSecret(secret))
  await deps.db.delete(magicLinks).where(bySecret)
}

/** Reads a magic link without consuming it, because mail scanners open links before people do. */
export async function peekMagicLink(
  deps: IdentityDeps,
  secret: string,
): Promise<{ email: string; next: string } | undefined> {
  if (!decode32Bytes(secret)) return undefined
  const usable = usableLinkCondition(await hashSecret(secret), deps.now())
  return deps.db
    .select({ email: magicLinks.email, next: magicLinks.next })
    .from(magicLinks)
    .where(usable)
    .get()
}

/**
 * Consumes a magic link. A single statement checks and consumes the link, so that only one of two concurrent calls
 * succeeds. The other call returns `undefined`.
 */
export async function consumeMagicLink(
  deps: IdentityDeps,
  secret: string,
): Promise<{ email: string; next: string } | undefined> {
  if (!decode32Bytes(secret)) return undefined
  const now = deps.now()
  return deps.db
    .update(magicLinks)
    .set({ usedAt: now })
    .where(usableLinkCondition(await hashSecret(secret), now))
    .returning({ email: magicLinks.email, next: magicLinks.next })
    .get()
}

function usableLinkCondition(hash: string, now: number): SQL | undefined {
  return and(
    eq(magicLinks.secretHash, hash),
    isNull(magicLinks.usedAt),
    gt(magicLinks.expiresAt, now),
  )
}

/**
 * SQL condition that matches `name@host` and every `name+tag@host`. Most mail hosts deliver all of these addresses to
 * the same mailbox.
 */
function sameMailboxCondition(email: string): SQL | undefined {
  const { name, host } = splitEmail(email)
  const tagged = `${name}+`
  return or(
    eq(magicLinks.email, name + host),
    and(
      sql`substr(${magicLinks.email}, 1, ${tagged.length}) = ${tagged}`,
      sql`substr(${magicLinks.email}, ${-host.length}) = ${host}`,
    ),
  )
}
