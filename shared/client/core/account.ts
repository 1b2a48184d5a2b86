/**
 * Operations of both modes, named as in the core API. In API mode, each call is a request authorized by the account
 * key. In ChainSecured mode, it is a transaction of the admin wallet or a read of the contract. The fields are those of
 * the API.
 */
import type { z } from 'zod'
import type { accountAnswer } from '../../wire/core.ts'
import type { actionAnswer, addActionAnswer } from '../../wire/registered-actions.ts'
import type { addGroupAnswer, groupAnswer, wholeGroupAnswer } from '../../wire/groups.ts'
import type { addUsageApiKeyAnswer, usageApiKeysAnswer } from '../../wire/usage-keys.ts'
import type { createWalletAnswer, walletAnswer } from '../../wire/wallets.ts'
import type { CallOptions } from '../options.ts'
import type { Listing } from './listing.ts'

export type AccountRecord = z.infer<typeof accountAnswer>
export type Wallet = z.infer<typeof walletAnswer>
export type NewWallet = z.infer<typeof createWalletAnswer>
export type Group = z.infer<typeof groupAnswer>
export type WholeGroup = z.infer<typeof wholeGroupAnswer>
export type RegisteredAction = z.infer<typeof actionAnswer>
export type UsageKey = z.infer<typeof usageApiKeysAnswer>[number]
export type NewUsageKey = z.infer<typeof addUsageApiKeyAnswer>

/** A wallet's 32-byte ID or its address. The zero ID means all wallets. */
export type PkpId = string
/** keccak256 of a CID's text as 0x hex, or 0 for all actions. */
export type CidHash = string | 0

export type GroupFields = {
  group_name: string
  group_description?: string
  pkp_ids_permitted?: readonly PkpId[]
  cid_hashes_permitted?: readonly CidHash[]
}

/** In the arrays, 0 means all groups. */
export type UsageKeyFields = {
  name: string
  description?: string
  can_create_groups?: boolean
  can_delete_groups?: boolean
  can_create_pkps?: boolean
  manage_ipfs_ids_in_groups?: readonly number[]
  add_pkp_to_groups?: readonly number[]
  remove_pkp_from_groups?: readonly number[]
  /**
   * An action runs if one of these groups permits it. `[0]` means every group of the account, but permits no action
   * itself.
   */
  execute_in_groups?: readonly number[]
  // Cap on spending in any window of this length. Set both or neither; null means absent.
  spend_cap_cents?: number | null
  spend_window_seconds?: number | null
}

/** `true` removes the key's cap. */
export type RemovedCap = { remove_spend_cap?: boolean }

type Texts = { name?: string; description?: string }
type Done = { success: true }

export type AccountOperations = {
  createWallet(fields?: Texts, options?: CallOptions): Promise<NewWallet>
  addGroup(fields: GroupFields, options?: CallOptions): Promise<z.infer<typeof addGroupAnswer>>
  /** Absent fields stay unchanged. A given array replaces the old one. */
  updateGroup(
    fields: { group_id: number } & Partial<GroupFields>,
    options?: CallOptions,
  ): Promise<Done>
  removeGroup(fields: { group_id: number }, options?: CallOptions): Promise<Done>
  addPkpToGroup(fields: { group_id: number; pkp_id: PkpId }, options?: CallOptions): Promise<Done>
  removePkpFromGroup(
    fields: { group_id: number; pkp_id: PkpId },
    options?: CallOptions,
  ): Promise<Done>
  /** Takes the raw CID. */
  addActionToGroup(
    fields: { group_id: number; action_ipfs_cid: string } & Texts,
    options?: CallOptions,
  ): Promise<Done>
  removeActionFromGroup(
    fields: { group_id: number } & ({ action_ipfs_cid: string } | { hashed_cid: CidHash }),
    options?: CallOptions,
  ): Promise<Done>
  addAction(
    fields: { action_ipfs_cid: string } & Texts,
    options?: CallOptions,
  ): Promise<z.infer<typeof addActionAnswer>>
  updateActionMetadata(
    fields: ({ action_ipfs_cid: string } | { hashed_cid: CidHash }) & Texts,
    options?: CallOptions,
  ): Promise<Done>
  deleteAction(
    fields: { action_ipfs_cid: string } | { hashed_cid: CidHash },
    options?: CallOptions,
  ): Promise<Done>
  /** Returns the key only once; the service does not store it. */
  addUsageApiKey(fields: UsageKeyFields, options?: CallOptions): Promise<NewUsageKey>
  /**
   * Absent and null fields stay unchanged.
   * @param fields.usage_api_key the key, or its 0x hash
   */
  updateUsageApiKey(
    fields: { usage_api_key: string } & Partial<UsageKeyFields> & RemovedCap,
    options?: CallOptions,
  ): Promise<Done>
  removeUsageApiKey(fields: { usage_api_key: string }, options?: CallOptions): Promise<Done>

  /** Returns the account. `email` is null if none was given, and after a transfer of ownership. */
  getAccount(options?: CallOptions): Promise<AccountRecord>
  listWallets(options?: CallOptions): Listing<Wallet>
  listWalletsInGroup(fields: { group_id: number }, options?: CallOptions): Listing<Wallet>
  listGroups(options?: CallOptions): Listing<Group>
  getGroup(fields: { group_id: number }, options?: CallOptions): Promise<WholeGroup>
  listActions(fields?: { group_id?: number }, options?: CallOptions): Listing<RegisteredAction>
  listApiKeys(options?: CallOptions): Listing<UsageKey>
}
