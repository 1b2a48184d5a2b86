import type { Account, Principal } from './account.ts'
import { AccountsAtBlock } from './mirror/accounts-at-block.ts'
import { decodeAccountHashes, encodeAccount, StoredAccount } from './mirror/account-codec.ts'
import { FieldWriter } from './mirror/byte-fields.ts'
import { DecodedAccounts } from './mirror/decoded-accounts.ts'
import { Batch, type Replacement, undo, type UndoLog } from './mirror/batch.ts'
import { type AccountEvent, applyEvent, type AccountTables } from './mirror/apply-event.ts'

export function indexAccounts(stored: Iterable<StoredAccount>): AccountTables {
  const tables = emptyTables()
  for (const account of stored) {
    const { accountHash, apiKeys, wallets, usageKeys } = decodeAccountHashes(account.bytes)
    tables.accounts.set(accountHash, account)
    // The key of an account is usually its hash. Sharing the string saves 100 bytes per account.
    const shared = (hash: string) => (hash === accountHash ? accountHash : hash)
    for (const key of [...apiKeys, ...usageKeys]) tables.keyHolders.set(shared(key), accountHash)
    for (const wallet of wallets) tables.walletHolders.set(shared(wallet), accountHash)
  }
  return tables
}

const emptyTables = (): AccountTables => ({
  accounts: new Map(),
  keyHolders: new Map(),
  walletHolders: new Map(),
})

/**
 * Between two calls of `apply`, all accounts are stored in their encoded form, which takes a fraction of the memory.
 */
export class AccountsState {
  readonly #tables: AccountTables
  readonly #decoded = new DecodedAccounts()
  readonly #fields = new FieldWriter()
  readonly #views = new Set<AccountsAtBlock>()
  #changes = 0
  #chainTime = 0

  constructor(tables = emptyTables()) {
    this.#tables = tables
  }

  get size(): number {
    return this.#tables.accounts.size
  }

  /** Number of entries replaced so far. As long as the number is unchanged, so is the state. */
  get changes(): number {
    return this.#changes
  }

  /** Timestamp of the head block in Unix seconds, on which a quorum of the nodes agreed. 0 before the first block. */
  get chainTime(): number {
    return this.#chainTime
  }

  setChainTime(timestamp: number): void {
    this.#chainTime = timestamp
  }

  /**
   * Returns undefined if the key is unknown, revoked or removed (401).
   * @param keyHash in lower-case 0x hex
   */
  principal(keyHash: string): Principal | undefined {
    const account = this.account(this.#tables.keyHolders.get(keyHash))
    if (!account) return undefined
    const usageKey = account.usageKeys.get(keyHash)
    if (usageKey) return { account, keyHash, usageKey }
    return account.hashes.get(keyHash)?.revoked === false ? { account, keyHash } : undefined
  }

  /**
   * Returns the account of which the wallet is or was the admin.
   * @param walletHash keccak256 of the wallet's 20 address bytes, in lower-case 0x hex
   */
  accountOfWallet(walletHash: string): Account | undefined {
    return this.account(this.#tables.walletHolders.get(walletHash))
  }

  account(hash: string | undefined): Account | undefined {
    if (hash === undefined) return undefined
    const held = this.#tables.accounts.get(hash)
    return held instanceof StoredAccount ? this.#decoded.get(held) : held
  }

  /** Applies all events, or none if any of them cannot be applied. */
  apply(events: readonly AccountEvent[]): UndoLog {
    const replaced: Replacement[] = []
    const batch = new Batch(replaced)
    try {
      for (const event of events)
        applyEvent(event, batch, this.#tables, (hash) => this.account(hash))
      this.#encode(replaced)
    } catch (error) {
      undo(replaced)
      throw error
    }
    this.#changes += replaced.length
    return replaced
  }

  /** Encodes the changed accounts. */
  #encode(replaced: readonly Replacement[]): void {
    const { accounts } = this.#tables
    for (const { map, key, before } of replaced) {
      if (map !== (accounts as Map<string, unknown>)) continue
      const account = accounts.get(key)
      if (account && !(account instanceof StoredAccount))
        accounts.set(key, new StoredAccount(encodeAccount(account, this.#fields)))
      // If a batch replaces an account several times, the first replacement has the version from before the batch.
      for (const view of this.#views) view.recordChange(key, before as StoredAccount | undefined)
    }
  }

  /**
   * Returns the accounts before the batches, which must include the latest one.
   * @param batches from oldest to newest
   */
  accountsBefore(batches: readonly UndoLog[]): AccountsAtBlock {
    const earlier = new Map<string, StoredAccount | undefined>()
    for (const { map, key, before } of batches.flat())
      if (map === (this.#tables.accounts as Map<string, unknown>) && !earlier.has(key))
        earlier.set(key, before as StoredAccount | undefined)
    const current = this.#tables.accounts as Map<string, StoredAccount>
    const view = new AccountsAtBlock(current, earlier, (closed) => this.#views.delete(closed))
    this.#views.add(view)
    return view
  }
}
