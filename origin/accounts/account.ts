/**
 * Records are immutable and are replaced as a whole. A reader therefore always sees the state of a single block, and a
 * block is undone by restoring the old records. Hashes and wallet IDs are 32 bytes in lower-case 0x hex. Addresses are
 * in EIP-55 format.
 */
import { toBeHex } from 'ethers'
import { WILDCARD } from '../../shared/cid/wildcard.ts'

export type AccountWallet = {
  pkpId: string
  derivationPath: string
  name: string
  description: string
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
  /** Unix seconds. */
  createdAt: number
}

export type AccountAction = { cidHash: string; cid: string; name: string; description: string }

/** The master hash or an alias. */
export type AccountHash = {
  /**
   * Address from which the hash was computed; undefined for an API key. Addresses are public, so their hashes are not
   * credentials.
   */
  wallet?: string
  revoked: boolean
}

export type Account = {
  /** Permanent identity of the account, even after the original key is rotated or revoked. */
  hash: string
  /**
   * True if the service writes on behalf of the API key's holder. False if only the admin wallet can write
   * (ChainSecured).
   */
  managed: boolean
  adminWallet: string
  name: string
  description: string
  /** Unix seconds. */
  createdAt: number
  hashes: ReadonlyMap<string, AccountHash>
  wallets: ReadonlyMap<string, AccountWallet>
  groups: ReadonlyMap<number, AccountGroup>
  usageKeys: ReadonlyMap<string, AccountUsageKey>
  actions: ReadonlyMap<string, AccountAction>
}

/**
 * The authenticated account key, usage key or admin wallet. `keyHash` is the credential for writes made with a key. The
 * old account key of a converted account is still resolved, with `account.managed` false.
 */
export type Principal = {
  account: Account
  keyHash: string
  usageKey?: AccountUsageKey
  /** EIP-55 address of the admin wallet that signed the request. `keyHash` is then the wallet's hash. */
  wallet?: string
}

/** 32 bytes in lower-case 0x hex. */
export function word(value: bigint | string): string {
  return toBeHex(value, 32)
}

/** In a usage key's group IDs, stands for all groups. */
export const ALL_GROUPS = 0

const NO_IDS: ReadonlySet<number> = new Set()
const NO_WORDS: ReadonlySet<string> = new Set()
const WILDCARD_ONLY: ReadonlySet<string> = new Set([WILDCARD])

/** IDs below this share one set per ID. Most arrays contain at most one ID, and each set takes 200 bytes. */
const SHARED_IDS_MAX = 1_024
const SINGLE_ID_SETS: (ReadonlySet<number> | undefined)[] = []

/** Empty sets, and single-element sets with a small ID, are shared. */
export function idSet(ids: readonly number[]): ReadonlySet<number> {
  const [only] = ids
  if (only === undefined) return NO_IDS
  if (ids.length > 1 || only >= SHARED_IDS_MAX) return new Set(ids)
  return (SINGLE_ID_SETS[only] ??= new Set([only]))
}

/** The empty set, and the set with only the wildcard, are shared. */
export function wordSet(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return NO_WORDS
  return words.length === 1 && words[0] === WILDCARD ? WILDCARD_ONLY : new Set(words)
}

/** With the wildcard, all wallets of the account. */
export function groupWallets({ wallets }: Account, { pkpIds }: AccountGroup): AccountWallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}

type GroupIndex = ReadonlyMap<string, readonly AccountGroup[]>

/** The cache key, the account's map of groups, is replaced on every change. */
const groupIndexes = new WeakMap<Account['groups'], GroupIndex>()

/** Groups by the action hashes in them. Groups that permit all actions are also listed under the wildcard. */
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
