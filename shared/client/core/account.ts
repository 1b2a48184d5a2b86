/**
 * Operations on an account. In API mode, each call is a request that the account key authorizes. In ChainSecured mode,
 * a call is a transaction of the admin wallet, or a read of the contract.
 */
import type { z } from 'zod'
import type { accountResponse } from '../../wire/core.ts'
import type { actionResponse, addActionResponse } from '../../wire/registered-actions.ts'
import type { addGroupResponse, groupResponse, wholeGroupResponse } from '../../wire/groups.ts'
import type { LimitField } from '../../wire/limit-fields.ts'
import type { addUsageApiKeyResponse, usageApiKeysResponse } from '../../wire/usage-keys.ts'
import type {
  getWalletPolicyResponse,
  setWalletPolicyResponse,
  simulateSignatureResponse,
} from '../../wire/wallet-policies.ts'
import type { createWalletResponse, walletResponse } from '../../wire/wallets.ts'
import type { CallOptions } from '../options.ts'
import type { Listing } from './listing.ts'

export type AccountRecord = z.infer<typeof accountResponse>
export type Wallet = z.infer<typeof walletResponse>
export type NewWallet = z.infer<typeof createWalletResponse>
export type HeldWalletPolicy = z.infer<typeof getWalletPolicyResponse>
export type ChangedWalletPolicy = z.infer<typeof setWalletPolicyResponse>
export type SimulatedSignature = z.infer<typeof simulateSignatureResponse>
export type Group = z.infer<typeof groupResponse>
export type WholeGroup = z.infer<typeof wholeGroupResponse>
export type RegisteredAction = z.infer<typeof actionResponse>
export type UsageKey = z.infer<typeof usageApiKeysResponse>[number]
export type NewUsageKey = z.infer<typeof addUsageApiKeyResponse>

/** A wallet's 32-byte ID, or its address. The zero ID means all wallets. */
export type PkpId = string
/** The keccak-256 of an action's CID text, as 0x hex. 0 means all actions. */
export type CidHash = string | 0

export type GroupFields = {
  group_name: string
  group_description?: string
  pkp_ids_permitted?: readonly PkpId[]
  cid_hashes_permitted?: readonly CidHash[]
}

/** Fields of a usage key. In arrays of group IDs, 0 means all groups. */
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
   * Groups whose permitted actions the key may run. `[0]` means all groups of the account, but does not permit any
   * action that no group permits.
   */
  execute_in_groups?: readonly number[]
  // Spending cap: the cents that the key may spend in any window of this length. Set both fields or neither. Null means
  // the same as absent.
  spend_cap_cents?: number | null
  spend_window_seconds?: number | null
  /** RFC 3339. From this time on, the key is refused with 401 `key_expired`. */
  expires_at?: string | null
  /** Requests in a clock minute. More get 429 `key_rate_reached`. */
  max_requests_per_minute?: number | null
  /** Runs in flight. More get 429 `key_concurrency_reached`. */
  max_concurrent?: number | null
  /** Web origins from which the key can be used, such as `https://app.example.com`. */
  allowed_origins?: readonly string[] | null
  /** Networks in CIDR notation from which the key can be used. */
  allowed_ips?: readonly string[] | null
  /** Lets triggers use a key with `allowed_origins` or `allowed_ips`. */
  allow_triggers?: boolean | null
  /** Lets the key read what the account key can read. Permits no change. */
  can_read_account?: boolean | null
}

/** Set to true to remove the key's spending cap. */
export type RemovedCap = { remove_spend_cap?: boolean }

/** Names of limits to remove, such as `['expires_at']`. */
export type RemovedLimits = { remove_limits?: readonly LimitField[] }

type Texts = { name?: string; description?: string }
type Done = { success: true }

/** A policy document, as described in docs/policies.md. */
export type WalletPolicyDocument = object

export type SimulationFields = {
  pkp_id: PkpId
  /** The request for a signature, as described in docs/policies.md#requests. */
  request: object
  /** CID of the action that requests the signature. */
  action_ipfs_cid?: string
  /** Policy to evaluate instead of the one that holds. */
  policy?: WalletPolicyDocument
}

export type AccountOperations = {
  /**
   * Creates a wallet. With a `policy`, the wallet signs only what the policy allows, and `getPrivateKey` is refused for
   * it. A wallet that was created without a policy can never get one.
   * @example
   * const rules = [{ name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix: 'greetings, ' }] }]
   * const { wallet_address, policy_hash } = await client.createWallet({ policy: { version: 1, rules } })
   * @throws {BadRequest | InvalidArgument} with the path of each problem, if the policy is invalid
   */
  createWallet(
    fields?: Texts & { policy?: WalletPolicyDocument },
    options?: CallOptions,
  ): Promise<NewWallet>
  /**
   * Changes a wallet's policy. Requires the account key or the admin wallet. A change that only tightens the policy
   * takes effect at once. Any other change is `pending` for the `change_delay_s` of the policy that holds.
   * @example
   * const { policy_hash, pending } = await client.setWalletPolicy({ pkp_id: wallet_address, policy })
   * console.log(pending ? `takes effect at ${pending.effective_at}` : `${policy_hash} holds`)
   * @param fields.replaces expected hash of the policy that holds. If another one holds, the call fails
   * @throws {Conflict | TransactionReverted} if the wallet has no policy, or an immutable one
   */
  setWalletPolicy(
    fields: { pkp_id: PkpId; policy: WalletPolicyDocument; replaces?: string },
    options?: CallOptions,
  ): Promise<ChangedWalletPolicy>
  /**
   * Returns the policy that holds, a pending change, and what remains of each sum.
   * @example
   * const { policy, sums, pending } = await client.getWalletPolicy({ pkp_id: wallet_address })
   */
  getWalletPolicy(fields: { pkp_id: PkpId }, options?: CallOptions): Promise<HeldWalletPolicy>
  /**
   * Simulates a request for a signature. Nothing is signed, and no sum changes.
   * @example
   * const request = { kind: 'message', message: 'greetings, Ada' }
   * const { decision, explanation } = await client.simulateSignature({ pkp_id: wallet_address, request })
   */
  simulateSignature(fields: SimulationFields, options?: CallOptions): Promise<SimulatedSignature>
  addGroup(fields: GroupFields, options?: CallOptions): Promise<z.infer<typeof addGroupResponse>>
  /** Changes a group. Absent fields stay unchanged. An array in `fields` replaces the stored array. */
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
  /** Permits an action in a group. The action is named by its CID instead of the CID's hash. */
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
  ): Promise<z.infer<typeof addActionResponse>>
  updateActionMetadata(
    fields: ({ action_ipfs_cid: string } | { hashed_cid: CidHash }) & Texts,
    options?: CallOptions,
  ): Promise<Done>
  deleteAction(
    fields: { action_ipfs_cid: string } | { hashed_cid: CidHash },
    options?: CallOptions,
  ): Promise<Done>
  /** Creates a usage key. The key is returned only once, because the service does not store it. */
  addUsageApiKey(fields: UsageKeyFields, options?: CallOptions): Promise<NewUsageKey>
  /**
   * Changes a usage key. Absent and null fields stay unchanged.
   * @param fields.usage_api_key the key, or its hash as 0x hex
   */
  updateUsageApiKey(
    fields: { usage_api_key: string } & Partial<UsageKeyFields> & RemovedCap & RemovedLimits,
    options?: CallOptions,
  ): Promise<Done>
  removeUsageApiKey(fields: { usage_api_key: string }, options?: CallOptions): Promise<Done>

  /** Returns the account. `email` is null if the account has no email address, and after a transfer of ownership. */
  getAccount(options?: CallOptions): Promise<AccountRecord>
  listWallets(options?: CallOptions): Listing<Wallet>
  listWalletsInGroup(fields: { group_id: number }, options?: CallOptions): Listing<Wallet>
  listGroups(options?: CallOptions): Listing<Group>
  getGroup(fields: { group_id: number }, options?: CallOptions): Promise<WholeGroup>
  listActions(fields?: { group_id?: number }, options?: CallOptions): Listing<RegisteredAction>
  listApiKeys(options?: CallOptions): Listing<UsageKey>
}
