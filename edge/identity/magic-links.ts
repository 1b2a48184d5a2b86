/** Magic links (`decisions.md`, Sign-in): single use, 15 minutes, and only the secret's SHA-256 is stored. */
import { and, eq, gt, inArray, isNull, lte, min, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'
import { magicLinks } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import { decode32Bytes, hashSecret, newSecret } from './secret.ts'

/** Links of one mailbox that may be open at once: enough for mail that is slow, too few to fill a stranger's inbox. */
export const LINKS_PER_MAILBOX = 5

/** So that a request never waits for the clearing of what many left behind. */
const CLEARED_AT_ONCE = 100

export type IssuedLink = { issued: true; secret: string } | { issued: false; retryAfterMs: number }

/**
 * Stores a link for `email` (as `parseEmail` gives it) that goes on to `next` (as `safeNext` gives it).
 * The count and the insert are one statement, so that requests at once cannot pass the limit together.
 */
export async function issueMagicLink(
  deps: IdentityDeps,
  { email, next }: { email: string; next: string },
): Promise<IssuedLink> {
  const { db, random } = deps
  const now = deps.now()
  const expired = db
    .select({ hash: magicLinks.secretHash })
    .from(magicLinks)
    .where(lte(magicLinks.expiresAt, now))
    .limit(CLEARED_AT_ONCE)
  await db.delete(magicLinks).where(inArray(magicLinks.secretHash, expired))

  const secret = newSecret(random)
  const hash = await hashSecret(secret)
  const open = and(sameMailbox(email), gt(magicLinks.expiresAt, now))
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

/** Takes back a link whose mail was not sent: it does not count against its mailbox, and opens nothing if it arrives. */
export async function withdrawMagicLink(deps: IdentityDeps, secret: string): Promise<void> {
  const isIt = eq(magicLinks.secretHash, await hashSecret(secret))
  await deps.db.delete(magicLinks).where(isIt)
}

/** Whom a link would sign in, and where it goes on to, without using it: mail scanners open links before people do. */
export async function peekMagicLink(
  deps: IdentityDeps,
  secret: string,
): Promise<{ email: string; next: string } | undefined> {
  if (!decode32Bytes(secret)) return undefined
  const usable = stillUsable(await hashSecret(secret), deps.now())
  return deps.db
    .select({ email: magicLinks.email, next: magicLinks.next })
    .from(magicLinks)
    .where(usable)
    .get()
}

/** Uses a link up. One statement decides, so of two at once one wins and the other gets `undefined`. */
export async function consumeMagicLink(
  deps: IdentityDeps,
  secret: string,
): Promise<{ email: string; next: string } | undefined> {
  if (!decode32Bytes(secret)) return undefined
  const now = deps.now()
  return deps.db
    .update(magicLinks)
    .set({ usedAt: now })
    .where(stillUsable(await hashSecret(secret), now))
    .returning({ email: magicLinks.email, next: magicLinks.next })
    .get()
}

function stillUsable(hash: string, now: number): SQL | undefined {
  return and(
    eq(magicLinks.secretHash, hash),
    isNull(magicLinks.usedAt),
    gt(magicLinks.expiresAt, now),
  )
}

/** `name@host` and every `name+tag@host`: most mail hosts deliver them to one person. */
function sameMailbox(email: string): SQL | undefined {
  const at = email.lastIndexOf('@')
  const host = email.slice(at)
  const name = email.slice(0, at).split('+', 1)[0]!
  const tagged = `${name}+`
  return or(
    eq(magicLinks.email, name + host),
    and(
      sql`substr(${magicLinks.email}, 1, ${tagged.length}) = ${tagged}`,
      sql`substr(${magicLinks.email}, ${-host.length}) = ${host}`,
    ),
  )
}
