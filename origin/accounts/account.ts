/**
 * An account as the chain has it. Records are never changed, only replaced as a whole: who holds one sees one
 * block's truth, and to undo a block is to put the old records back. Hashes and wallet ids are 0x hex of 32
 * bytes, lower-case; addresses are EIP-55.
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

/** A hash that names the account: its master hash or an alias. */
export type AccountHash = {
  /** What the hash was made of; absent for an API key's. A wallet is public, so its hash is no credential. */
  wallet?: string
  revoked: boolean
}

export type Account = {
  /** The master hash: the account's identity, whatever becomes of the key that it was made of. */
  hash: string
  /** Written by the service for the holder of an API key; false: by its admin wallet alone (ChainSecured). */
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
 * Who asks: an account's own key, one of its usage keys, or its admin wallet. `keyHash` is the credential of writes by
 * key. The own key of an account that was converted resolves too (`account.managed` is false then).
 */
export type Principal = {
  account: Account
  keyHash: string
  usageKey?: UsageKey
  /** The admin wallet, EIP-55, where it asks itself by a signature; `keyHash` is its hash then. */
  wallet?: string
}

/** 0x hex of 32 bytes, lower-case. */
export function word(value: bigint | string): string {
  return toBeHex(value, 32)
}

/** The zero word, that stands for every wallet or action. */
export const WILDCARD = word(0n)

const NO_IDS: ReadonlySet<number> = new Set()
const NO_WORDS: ReadonlySet<string> = new Set()
const WILDCARD_ALONE: ReadonlySet<string> = new Set([WILDCARD])

/** Group ids below this have one shared set each: most arrays name none or one, and a set takes 200 bytes. */
const SHARED_IDS = 1_024
const ONE_ID: (ReadonlySet<number> | undefined)[] = []

/** A set of group ids; equal small ones are one object. */
export function idSet(ids: readonly number[]): ReadonlySet<number> {
  const [only] = ids
  if (only === undefined) return NO_IDS
  if (ids.length > 1 || only >= SHARED_IDS) return new Set(ids)
  return (ONE_ID[only] ??= new Set([only]))
}

/** A set of hashes or wallet ids; the empty one and that of the wildcard alone are one object each. */
export function wordSet(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return NO_WORDS
  return words.length === 1 && words[0] === WILDCARD ? WILDCARD_ALONE : new Set(words)
}
