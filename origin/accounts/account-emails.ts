import { eq } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { accountEmails } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { decryptAtRest, encryptAtRest } from '../keys/at-rest.ts'
import { wasTransferred } from './ownership-mode.ts'
import type { Account } from './account.ts'

/**
 * Stores the email addresses that users provide when they create an account. The addresses are personal data, so they
 * are encrypted with a key derived from the root key. They are never used to send mail, logged, or written to the
 * chain.
 */
export class AccountEmails {
  readonly #db: Database
  readonly #key: Uint8Array

  constructor({ db, key }: { db: Database; key: Uint8Array }) {
    this.#db = db
    this.#key = key
  }

  /** @throws {DatabaseUnavailableError} */
  async store(accountHash: string, email: string): Promise<void> {
    const encrypted = encryptAtRest(this.#key, associatedData(accountHash), email)
    await fromDatabase(this.#db.insert(accountEmails).values({ accountHash, email: encrypted }))
  }

  /** @throws {DatabaseUnavailableError} */
  async delete(accountHash: string): Promise<void> {
    const row = eq(accountEmails.accountHash, accountHash)
    await fromDatabase(this.#db.delete(accountEmails).where(row))
  }

  /**
   * Returns the account's email address, or null if no address is stored. After an ownership transfer, also returns
   * null, so that the new owner does not see the former owner's address.
   * @throws {DatabaseUnavailableError}
   */
  async find(account: Account): Promise<string | null> {
    if (wasTransferred(account)) return null
    const row = eq(accountEmails.accountHash, account.hash)
    const [stored] = await fromDatabase(this.#db.select().from(accountEmails).where(row))
    return stored ? decryptAtRest(this.#key, associatedData(account.hash), stored.email) : null
  }
}

const associatedData = (accountHash: string) => ['svc/email/v1', accountHash]
