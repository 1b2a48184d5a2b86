import type { Account } from '../account.ts'
import { decodeAccount, type StoredAccount } from './account-codec.ts'

/**
 * Encoded size of the accounts whose decoded form is held, in each of two generations. A decoded account takes 6 to 12
 * times as much memory.
 */
const GENERATION_BYTES = 8 * 1024 * 1024

/**
 * Cache of decoded accounts. Bounded, because a decoded account takes several kilobytes. When the newer generation is
 * full, the older one is dropped, so that accounts in use stay decoded.
 */
export class DecodedAccounts {
  readonly #generationBytes: number
  #newer = new Map<StoredAccount, Account>()
  #older = new Map<StoredAccount, Account>()
  #newerBytes = 0

  constructor(generationBytes = GENERATION_BYTES) {
    this.#generationBytes = generationBytes
  }

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  get(stored: StoredAccount): Account {
    const known = this.#newer.get(stored)
    if (known) return known
    const account = this.#older.get(stored) ?? decodeAccount(stored.bytes)
    this.#older.delete(stored)
    this.#add(stored, account)
    return account
  }

  #add(stored: StoredAccount, account: Account): void {
    if (this.#newerBytes + stored.byteLength > this.#generationBytes) {
      this.#older = this.#newer
      this.#newer = new Map()
      this.#newerBytes = 0
    }
    this.#newer.set(stored, account)
    this.#newerBytes += stored.byteLength
  }
}
