import { eq } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { accountEmails } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { decryptAtRest, encryptAtRest } from '../keys/at-rest.ts'
import { wasTransferred } from './ownership-mode.ts'
import type { Account } from './account.ts'

/**
 * Email addresses given when accounts were created. They are personal data: encrypted under a root-derived key, never
 * used to send mail, and never logged or written to the chain.
 */
export class AccountEmails {
  readonly #db: Database
  readonly #key: Uint8Array

  constructor({ db, key }: { db: Database; key: Uint8Array }) {
    this.#db = db
    this.#key = key
  }

  /** @throws {DatabaseUnavailable} */
  async keep(accountHash: string, email: string): Promise<void> {
    const encrypted = encryptAtRest(this.#key, namesOf(accountHash), email)
    await fromDatabase(this.#db.insert(accountEmails).values({ accountHash, email: encrypted }))
  }

  /** @throws {DatabaseUnavailable} */
  async forget(accountHash: string): Promise<void> {
    const row = eq(accountEmails.accountHash, accountHash)
    await fromDatabase(this.#db.delete(accountEmails).where(row))
  }

  /**
   * Null if no address is stored. After a transfer, the former owner's address is not shown to the new owner.
   * @throws {DatabaseUnavailable}
   */
  async of(account: Account): Promise<string | null> {
    if (wasTransferred(account)) return null
    const row = eq(accountEmails.accountHash, account.hash)
    const [kept] = await fromDatabase(this.#db.select().from(accountEmails).where(row))
    return kept ? decryptAtRest(this.#key, namesOf(account.hash), kept.email) : null
  }
}

const namesOf = (accountHash: string) => ['svc/email/v1', accountHash]
