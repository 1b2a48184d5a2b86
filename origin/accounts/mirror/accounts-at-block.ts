import type { StoredAccount } from './account-codec.ts'

/**
 * Immutable view of the accounts at one block. Does not copy the state, but keeps the previous versions of accounts
 * that change in the meantime. Must be closed after use.
 */
export class AccountsAtBlock {
  readonly size: number
  readonly #current: ReadonlyMap<string, StoredAccount>
  /** Accounts that are different in the current state. Undefined if the account does not exist at the block. */
  readonly #earlier: Map<string, StoredAccount | undefined>
  readonly #onClose: (closed: AccountsAtBlock) => void

  constructor(
    current: ReadonlyMap<string, StoredAccount>,
    earlier: Map<string, StoredAccount | undefined>,
    onClose: (closed: AccountsAtBlock) => void,
  ) {
    this.#current = current
    this.#earlier = earlier
    this.#onClose = onClose
    // Accounts are never removed, so every account that exists at the block is in the current state.
    const missing = [...earlier.values()].filter((account) => account === undefined)
    this.size = current.size - missing.length
  }

  /** Must be called when an account changes, with its previous version. */
  recordChange(hash: string, before: StoredAccount | undefined): void {
    if (!this.#earlier.has(hash)) this.#earlier.set(hash, before)
  }

  /** The state may change between two steps of the iteration. */
  *entries(): Generator<[string, StoredAccount], void> {
    for (const [hash, account] of this.#current) {
      const found = this.#earlier.has(hash) ? this.#earlier.get(hash) : account
      if (found) yield [hash, found]
    }
  }

  *values(): Generator<StoredAccount, void> {
    for (const [, account] of this.entries()) yield account
  }

  close(): void {
    this.#onClose(this)
  }
}
