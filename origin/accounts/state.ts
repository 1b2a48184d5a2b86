/** State of all accounts at one block. */
import type { Account, Principal } from './account.ts'
import { hashesIn, StoredAccount } from './mirror/account-codec.ts'
import { Batch, type Replaced, undo, type Undo } from './mirror/batch.ts'
import { type AccountEvent, fold, type Tables } from './mirror/fold.ts'

export type { Account, AccountHash, Action, Group, Principal, UsageKey, Wallet } from './account.ts'
export { word } from './account.ts'
export type { AccountEvent } from './mirror/fold.ts'

export type Accounts = ReadonlyMap<string, Account | StoredAccount>

/** Builds the lookup tables from a snapshot. Each stored account is decoded on first access. */
export function tablesOf(stored: Iterable<StoredAccount>): Tables {
  const tables = noTables()
  for (const account of stored) {
    const { accountHash, apiKeys, wallets, usageKeys } = hashesIn(account.bytes)
    tables.accounts.set(accountHash, account)
    for (const key of [...apiKeys, ...usageKeys]) tables.keyHolders.set(key, accountHash)
    for (const wallet of wallets) tables.walletHolders.set(wallet, accountHash)
  }
  return tables
}

const noTables = (): Tables => ({
  accounts: new Map(),
  keyHolders: new Map(),
  walletHolders: new Map(),
})

export class AccountsState {
  readonly #tables: Tables
  #changes = 0

  constructor(tables = noTables()) {
    this.#tables = tables
  }

  get size(): number {
    return this.#tables.accounts.size
  }

  /**
   * Number of replacements so far. If the number has not changed between two points in time, the state has not changed
   * either.
   */
  get changes(): number {
    return this.#changes
  }

  /**
   * Returns the principal for an API key, or undefined if the key is unknown, revoked or removed (401).
   * @param keyHash hash of the key in lower-case 0x hex
   */
  principal(keyHash: string): Principal | undefined {
    const account = this.account(this.#tables.keyHolders.get(keyHash))
    if (!account) return undefined
    const usageKey = account.usageKeys.get(keyHash)
    if (usageKey) return { account, keyHash, usageKey }
    return account.hashes.get(keyHash)?.revoked === false ? { account, keyHash } : undefined
  }

  /**
   * Returns the account of which a wallet is or was the admin.
   * @param walletHash keccak256 hash of the wallet's 20 address bytes, in lower-case 0x hex
   */
  accountOfWallet(walletHash: string): Account | undefined {
    return this.account(this.#tables.walletHolders.get(walletHash))
  }

  /**
   * Returns an account.
   * @param hash master hash of the account
   */
  account(hash: string | undefined): Account | undefined {
    if (hash === undefined) return undefined
    const held = this.#tables.accounts.get(hash)
    if (!(held instanceof StoredAccount)) return held
    const account = held.decode()
    this.#tables.accounts.set(hash, account)
    return account
  }

  /** Applies events in order. If an event cannot be applied, no event is applied. */
  apply(events: readonly AccountEvent[]): Undo {
    const replaced: Replaced[] = []
    const batch = new Batch(replaced)
    try {
      for (const event of events) this.#fold(batch, event)
    } catch (error) {
      undo(replaced)
      throw error
    }
    this.#changes += replaced.length
    return replaced
  }

  /**
   * Returns the accounts as they were before the given batches, which are ordered from oldest to newest. The state
   * itself does not change.
   */
  accountsBefore(batches: readonly Undo[]): Accounts {
    const accounts = new Map(this.#tables.accounts)
    for (const { map, key, before } of batches.flat().toReversed()) {
      if (map !== (this.#tables.accounts as Map<string, unknown>)) continue
      if (before === undefined) accounts.delete(key)
      else accounts.set(key, before as Account | StoredAccount)
    }
    return accounts
  }

  #fold(batch: Batch, event: AccountEvent): void {
    fold(event, batch, this.#tables, (hash) => this.account(hash))
  }
}
