/**
 * An account as recorded on the chain. Records are immutable and replaced as a whole, so a reader always sees the state
 * of one block, and undoing a block means restoring the old records. Hashes and wallet IDs are lower-case 0x hex of 32
 * bytes; addresses are EIP-55.
 */
import { toBeHex } from 'ethers'

export type Wallet = { pkpId: string; derivationPath: string; name: string; description: string }

export type Group = {
  id: number
  name: string
  description: string
  pkpIds: ReadonlySet<string>
  cidHashes: ReadonlySet<string>
}

export type UsageKey = {
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

export type Action = { cidHash: string; cid: string; name: string; description: string }

/** A hash that identifies the account: its master hash or an alias. */
export type AccountHash = {
  /**
   * The wallet that was hashed; absent for the hash of an API key. A wallet is public, so its hash is not a credential.
   */
  wallet?: string
  revoked: boolean
}

export type Account = {
  /** The master hash: the account's permanent identity, even after the original key is rotated or revoked. */
  hash: string
  /**
   * True if the service writes on behalf of the API key's holder; false if only the admin wallet can (ChainSecured).
   */
  managed: boolean
  adminWallet: string
  name: string
  description: string
  /** Unix seconds. */
  createdAt: number
  hashes: ReadonlyMap<string, AccountHash>
  wallets: ReadonlyMap<string, Wallet>
  groups: ReadonlyMap<number, Group>
  usageKeys: ReadonlyMap<string, UsageKey>
  actions: ReadonlyMap<string, Action>
}

/**
 * The authenticated caller: an account key, a usage key, or an admin wallet. `keyHash` is the credential for writes
 * made with a key. The account key from before a conversion still resolves; `account.managed` is then false.
 */
export type Principal = {
  account: Account
  keyHash: string
  usageKey?: UsageKey
  /** EIP-55 address of the admin wallet if the request is signed by it; `keyHash` is then the wallet's hash. */
  wallet?: string
}

/** 0x hex of 32 bytes, lower-case. */
export function word(value: bigint | string): string {
  return toBeHex(value, 32)
}

/** The zero word, which stands for every wallet or action. */
export const WILDCARD = word(0n)

const NO_IDS: ReadonlySet<number> = new Set()
const NO_WORDS: ReadonlySet<string> = new Set()
const WILDCARD_ALONE: ReadonlySet<string> = new Set([WILDCARD])

/**
 * Group IDs below this share one single-element set each: most arrays have at most one ID, and a set takes 200 bytes.
 */
const SHARED_IDS = 1_024
const ONE_ID: (ReadonlySet<number> | undefined)[] = []

/** Returns a set of group IDs. Empty sets and small single-element sets are shared. */
export function idSet(ids: readonly number[]): ReadonlySet<number> {
  const [only] = ids
  if (only === undefined) return NO_IDS
  if (ids.length > 1 || only >= SHARED_IDS) return new Set(ids)
  return (ONE_ID[only] ??= new Set([only]))
}

/** Returns a set of hashes or wallet IDs. The empty set and the wildcard-only set are shared. */
export function wordSet(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return NO_WORDS
  return words.length === 1 && words[0] === WILDCARD ? WILDCARD_ALONE : new Set(words)
}
