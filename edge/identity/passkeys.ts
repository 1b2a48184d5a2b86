import { and, asc, eq, lt, or, sql } from 'drizzle-orm'
import { PASSKEYS_MAX } from '../../shared/limits.ts'
import { passkeys } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import type { Transport } from './passkey-answers.ts'

/** Passkey without its public key. Times are in Unix milliseconds. */
export type Passkey = {
  credentialId: string
  name: string
  transports: Transport[]
  createdAt: number
  lastUsedAt: number | null
}

export type PasskeyCredential = { userId: string; publicKey: Uint8Array<ArrayBuffer> }

export type NewPasskey = {
  credentialId: string
  name: string
  publicKey: Uint8Array
  counter: number
  transports: Transport[]
}

export async function listPasskeys(deps: IdentityDeps, userId: string): Promise<Passkey[]> {
  const rows = await deps.db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.credentialId))
  return rows.map(({ credentialId, name, transports, createdAt, lastUsedAt }) => ({
    credentialId,
    name,
    transports: JSON.parse(transports) as Transport[],
    createdAt,
    lastUsedAt,
  }))
}

/**
 * A single statement counts and inserts, so that concurrent registrations cannot exceed the limit. If the credential is
 * already stored for any user, the stored passkey does not change (WebAuthn, 7.1, step 26).
 */
export async function storePasskey(
  deps: IdentityDeps,
  userId: string,
  { credentialId, name, publicKey, counter, transports }: NewPasskey,
): Promise<'stored' | 'already_registered' | 'too_many'> {
  const { db } = deps
  const transportsJson = JSON.stringify(transports)
  const stored = await db
    .insert(passkeys)
    .select(
      sql`select ${credentialId}, ${userId}, ${name}, ${publicKey}, ${counter}, ${transportsJson}, ${deps.now()}, null
          where (select count(*) from ${passkeys} where ${passkeys.userId} = ${userId}) < ${PASSKEYS_MAX}`,
    )
    .onConflictDoNothing({ target: passkeys.credentialId })
    .returning({ credentialId: passkeys.credentialId })
  if (stored.length > 0) return 'stored'
  return (await findPasskeyCredential(deps, credentialId)) ? 'already_registered' : 'too_many'
}

export async function findPasskeyCredential(
  deps: IdentityDeps,
  credentialId: string,
): Promise<PasskeyCredential | undefined> {
  const row = await deps.db
    .select({ userId: passkeys.userId, publicKey: passkeys.publicKey })
    .from(passkeys)
    .where(eq(passkeys.credentialId, credentialId))
    .get()
  return row && { userId: row.userId, publicKey: new Uint8Array(row.publicKey) }
}

/**
 * A single statement compares and updates the signature counter, so that only one of two responses with the same
 * counter is accepted. A response for a passkey that was removed in the meantime is rejected. Authenticators without a
 * counter always send 0.
 * @returns false if the counter did not increase, which indicates a cloned authenticator (WebAuthn, 6.1.1)
 */
export async function recordPasskeyUse(
  deps: IdentityDeps,
  credentialId: string,
  counter: number,
): Promise<boolean> {
  const hasIncreased = lt(passkeys.counter, counter)
  const hasNoCounter = and(eq(passkeys.counter, 0), sql`${counter} = 0`)
  const updated = await deps.db
    .update(passkeys)
    .set({ counter, lastUsedAt: deps.now() })
    .where(and(eq(passkeys.credentialId, credentialId), or(hasIncreased, hasNoCounter)))
    .returning({ credentialId: passkeys.credentialId })
  return updated.length > 0
}

/** @returns the name of the removed passkey, or `undefined` if the account has no such passkey */
export async function removePasskey(
  deps: IdentityDeps,
  { credentialId, userId }: { credentialId: string; userId: string },
): Promise<string | undefined> {
  const removed = await deps.db
    .delete(passkeys)
    .where(and(eq(passkeys.credentialId, credentialId), eq(passkeys.userId, userId)))
    .returning({ name: passkeys.name })
  return removed[0]?.name
}
