/** The state of all accounts at one block. */
import type { Account, Principal } from './account.ts'
import { hashesIn, StoredAccount } from './mirror/account-codec.ts'
import { Batch, type Replaced, undo, type Undo } from './mirror/batch.ts'
import { type AccountEvent, fold } from './mirror/fold.ts'

export type { Account, AccountHash, Action, Group, Principal, UsageKey, Wallet } from './account.ts'
export { word } from './account.ts'
export type { AccountEvent } from './mirror/fold.ts'

export type Accounts = ReadonlyMap<string, Account | StoredAccount>

/** Lookup tables. Invariant: the indexes are consistent with the account records. */
export type Tables = {
  /** Keyed by master hash. */
  accounts: Map<string, Account | StoredAccount>
  /**
   * Hash of an account key or a usage key -> master hash. The contract prevents a hash from being both. Wallet hashes
   * are excluded, because anyone can register one as a usage key, before or after it identifies an account.
   */
  keyHolders: Map<string, string>
  /** Hash of a wallet that is or was the admin of a ChainSecured account -> master hash. It is not a credential. */
  walletHolders: Map<string, string>
}

/** Builds the tables from a snapshot. A stored account is decoded on first access. */
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

  /** Number of replacements made so far. Equal values at two times mean that nothing changed in between. */
  get changes(): number {
    return this.#changes
  }

  /** Resolves an API key; `undefined` if it is unknown, revoked or removed (401). @param keyHash 0x hex, lower-case */
  principal(keyHash: string): Principal | undefined {
    const account = this.account(this.#tables.keyHolders.get(keyHash))
    if (!account) return undefined
    const usageKey = account.usageKeys.get(keyHash)
    if (usageKey) return { account, keyHash, usageKey }
    return account.hashes.get(keyHash)?.revoked === false ? { account, keyHash } : undefined
  }

  /** Returns the account whose admin the wallet is or was. @param walletHash keccak256 of its 20 bytes, lower-case */
  accountOfWallet(walletHash: string): Account | undefined {
    return this.account(this.#tables.walletHolders.get(walletHash))
  }

  /** @param hash the master hash */
  account(hash: string | undefined): Account | undefined {
    if (hash === undefined) return undefined
    const held = this.#tables.accounts.get(hash)
    if (!(held instanceof StoredAccount)) return held
    const account = held.decode()
    this.#tables.accounts.set(hash, account)
    return account
  }

  /** Applies events in order. If one fails, none is applied. */
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

  /** Returns the accounts as they were before the given batches, oldest first. The state itself is unchanged. */
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
