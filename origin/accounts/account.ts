/**
 * Account records are immutable: a change replaces the whole record. A reader therefore always sees the state of a
 * single block, and a block is undone by restoring the old records. Hashes and wallet IDs are 32 bytes in lower-case 0x
 * hex. Addresses are in EIP-55 format.
 */
import { toBeHex } from 'ethers'
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import type { WalletPolicy } from './wallet-policy.ts'

export type AccountWallet = {
  pkpId: string
  derivationPath: string
  name: string
  description: string
  /** Only if the wallet was created with a policy. */
  policy?: WalletPolicy
}

export type AccountGroup = {
  id: number
  name: string
  description: string
  pkpIds: ReadonlySet<string>
  cidHashes: ReadonlySet<string>
}

export type AccountUsageKey = {
  hash: string
  name: string
  description: string
  canCreateGroups: boolean
  canDeleteGroups: boolean
  canCreatePkps: boolean
  manageIpfsIdsInGroups: ReadonlySet<number>
  addPkpToGroups: ReadonlySet<number>
  removePkpFromGroups: ReadonlySet<number>
  executeInGroups: ReadonlySet<number>
  /** Creation time, in Unix seconds. */
  createdAt: number
}

export type AccountAction = { cidHash: string; cid: string; name: string; description: string }

/** Hash that identifies an account: the master hash or an alias. */
export type AccountHash = {
  /**
   * Wallet address from which the hash was computed. Undefined if the hash was computed from an API key. Addresses are
   * public, so their hashes are not credentials.
   */
  wallet?: string
  revoked: boolean
}

export type Account = {
  /** Master hash: the permanent identity of the account, even after the original key is rotated or revoked. */
  hash: string
  /** False for a ChainSecured account, for which only the admin wallet can write. */
  managed: boolean
  adminWallet: string
  name: string
  description: string
  /** Creation time, in Unix seconds. */
  createdAt: number
  hashes: ReadonlyMap<string, AccountHash>
  wallets: ReadonlyMap<string, AccountWallet>
  groups: ReadonlyMap<number, AccountGroup>
  usageKeys: ReadonlyMap<string, AccountUsageKey>
  actions: ReadonlyMap<string, AccountAction>
}

/**
 * Authenticated caller: an account key, a usage key or an admin wallet. For writes made with a key, `keyHash` is the
 * credential. After an account is converted, its old account key still resolves to a principal, with `account.managed`
 * set to false.
 */
export type Principal = {
  account: Account
  keyHash: string
  usageKey?: AccountUsageKey
  /**
   * The usage key may read what the account key can read. Set only while an operation of the core API is executed, so
   * runs never have it.
   */
  canReadAccount?: true
  /**
   * EIP-55 address of the admin wallet, if the request was signed by one. In that case, `keyHash` is the hash of the
   * wallet.
   */
  wallet?: string
}

/** Formats a value as 32 bytes in lower-case 0x hex. */
export function word(value: bigint | string): string {
  return toBeHex(value, 32)
}

/** Group ID that stands for all groups in the permissions of a usage key. */
export const ALL_GROUPS = 0

const NO_IDS: ReadonlySet<number> = new Set()
const NO_WORDS: ReadonlySet<string> = new Set()
const WILDCARD_ONLY: ReadonlySet<string> = new Set([WILDCARD])

/** Sharing saves memory, because most arrays contain at most one ID and each set takes 200 bytes. */
const SHARED_IDS_MAX = 1_024
const SINGLE_ID_SETS: (ReadonlySet<number> | undefined)[] = []

export function idSet(ids: readonly number[]): ReadonlySet<number> {
  const [only] = ids
  if (only === undefined) return NO_IDS
  if (ids.length > 1 || only >= SHARED_IDS_MAX) return new Set(ids)
  return (SINGLE_ID_SETS[only] ??= new Set([only]))
}

/** The empty set, and the set with only the wildcard, are shared to save memory. */
export function wordSet(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return NO_WORDS
  return words.length === 1 && words[0] === WILDCARD ? WILDCARD_ONLY : new Set(words)
}

/** If the group contains the wildcard, returns all wallets of the account. */
export function groupWallets({ wallets }: Account, { pkpIds }: AccountGroup): AccountWallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}

type GroupIndex = ReadonlyMap<string, readonly AccountGroup[]>

/** The key is the map of groups, which is replaced on every change, so a cached index is never stale. */
const groupIndexes = new WeakMap<Account['groups'], GroupIndex>()

/** Groups that permit all actions are listed under the wildcard. */
export function groupsByAction({ groups }: Account): GroupIndex {
  const known = groupIndexes.get(groups)
  if (known) return known
  const index = new Map<string, AccountGroup[]>()
  for (const group of groups.values())
    for (const hash of group.cidHashes) {
      const found = index.get(hash)
      if (found) found.push(group)
      else index.set(hash, [group])
    }
  groupIndexes.set(groups, index)
  return index
}
