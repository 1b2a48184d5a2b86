/**
 * Reads the account's lists from the contract, as the same records that the API returns. Each iteration over a list
 * reads the full account again.
 */
import { groupRecord, usageKeyRecord } from '../../wire/account-records.ts'
import type {
  AccountOperations,
  UsageKey,
  RegisteredAction,
  Wallet,
  WholeGroup,
} from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'
import { listing } from '../core/listing.ts'
import type { CallOptions } from '../options.ts'
import type { AccountContract } from './account-contract.ts'
import { groupIdOf } from './arguments.ts'
import type { AccountView, GroupView, UsageKeyView, WalletView } from './contract-codec.ts'
import { TransactionReverted } from './transaction-failures.ts'
import { WILDCARD } from '../../cid/wildcard.ts'
import { LIMIT_FIELDS, type LimitField } from '../../wire/limit-fields.ts'

/**
 * Creates the read operations. The contract stores the keys and their permissions. The service stores spending caps,
 * limits and the times of last use.
 * @param billing calls that the wallet's proof authorizes
 */
export function accountReads(contract: AccountContract, billing: CoreCalls) {
  const list = <Item>(items: (account: AccountView) => Item[], options?: CallOptions) =>
    listing(async function* () {
      yield items(await contract.account(options))
    })
  /** Reads the account, with the policies of its wallets. */
  const accountWithPolicies = async (options?: CallOptions): Promise<AccountView> => {
    const [account, policies] = await Promise.all([
      contract.account(options),
      contract.policies(options),
    ])
    const hashes = new Map(policies.map(({ pkpId, policyHash }) => [pkpId, policyHash]))
    const wallets = account.wallets.map((wallet) => ({
      ...wallet,
      policyHash: hashes.get(wallet.pkpId),
    }))
    return { ...account, wallets }
  }
  const listWallets = (
    wallets: (account: AccountView) => readonly WalletView[],
    options?: CallOptions,
  ) =>
    listing(async function* () {
      yield wallets(await accountWithPolicies(options)).map(walletRecord)
    })
  return {
    getAccount: (options) => billing.read('get_account', {}, options),
    listWallets: (options) => listWallets(({ wallets }) => wallets, options),
    listWalletsInGroup: ({ group_id }, options) =>
      listWallets((account) => walletsIn(account, requireGroup(account, group_id)), options),
    listGroups: (options) => list((account) => groupsOf(account).map(groupRecord), options),
    getGroup: async ({ group_id }, options) => {
      const account = await accountWithPolicies(options)
      return wholeGroupRecord(account, requireGroup(account, group_id))
    },
    listActions: ({ group_id } = {}, options) =>
      list(
        (account) =>
          group_id === undefined
            ? actionRecords(account)
            : actionRecordsIn(account, requireGroup(account, group_id)),
        options,
      ),
    listApiKeys: (options) =>
      listing(async function* () {
        const keys = usageKeysOf(await contract.account(options))
        if (keys.length === 0) return
        const known = new Map<string, UsageKey>()
        for await (const key of billing.list<UsageKey>('list_api_keys', {}, options))
          known.set(key.api_key_hash, key)
        yield keys.map((key) => listedKeyRecord(key, known.get(key.hash)))
      }),
  } satisfies Partial<AccountOperations>
}

/** Throws the contract's own error if the group does not exist. */
function requireGroup(account: AccountView, id: number): GroupView {
  const group = account.groups.find((candidate) => candidate.id === groupIdOf(id))
  if (group) return group
  const args = [account.accountHash, String(id)]
  throw new TransactionReverted(`read group ${id}`, { errorName: 'GroupDoesNotExist', args })
}

function walletRecord(wallet: WalletView): Wallet {
  return {
    wallet_address: wallet.address,
    pkp_id: wallet.pkpId,
    name: wallet.name,
    description: wallet.description,
    derivation_path: wallet.derivationPath,
    ...(wallet.policyHash !== undefined && { policy_hash: wallet.policyHash }),
  }
}

/**
 * Returns the record of a usage key.
 * @param known the service's record of the key. Undefined if the service has not seen the key yet. Such a key has no
 * spending cap or limits
 */
function listedKeyRecord(key: UsageKeyView, known: UsageKey | undefined): UsageKey {
  return {
    ...usageKeyRecord(key, known?.last_used_at ?? null),
    spend_cap_cents: known?.spend_cap_cents ?? null,
    spend_window_seconds: known?.spend_window_seconds ?? null,
    spent_cents: known?.spent_cents ?? null,
    ...limitsOf(known),
  }
}

function limitsOf(known: UsageKey | undefined): Pick<UsageKey, LimitField> {
  return Object.fromEntries(LIMIT_FIELDS.map((name) => [name, known?.[name] ?? null])) as Pick<
    UsageKey,
    LimitField
  >
}

/** Returns the groups sorted by ID, because the contract moves the last group into the place of a removed group. */
export function groupsOf({ groups }: AccountView): GroupView[] {
  return groups.toSorted((one, other) => one.id - other.id)
}

function usageKeysOf({ usageApiKeys }: AccountView): UsageKeyView[] {
  return usageApiKeys.toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Returns the wallets in a group, or all wallets of the account if the group has the wildcard. */
function walletsIn({ wallets }: AccountView, { pkpIds }: GroupView): WalletView[] {
  if (pkpIds.includes(WILDCARD)) return [...wallets]
  return pkpIds.flatMap((id) => wallets.find(({ pkpId }) => pkpId === id) ?? [])
}

/** Returns the recorded actions, followed by hashes that groups permit without a record. */
function actionRecords(account: AccountView): RegisteredAction[] {
  const recorded = account.actions.map(({ cidHash }) => cidHash)
  const permitted = groupsOf(account).flatMap(({ cidHashes }) => cidHashes)
  return recordsOf(account, [...recorded, ...permitted.filter((hash) => hash !== WILDCARD)])
}

/** Returns the actions that a group permits. If the group has the wildcard, also includes all recorded actions. */
function actionRecordsIn(account: AccountView, { cidHashes }: GroupView): RegisteredAction[] {
  const named = cidHashes.filter((hash) => hash !== WILDCARD)
  if (named.length === cidHashes.length) return recordsOf(account, named)
  return recordsOf(account, [...named, ...account.actions.map(({ cidHash }) => cidHash)])
}

function recordsOf(account: AccountView, cidHashes: readonly string[]): RegisteredAction[] {
  const groups = groupsOf(account)
  return [...new Set(cidHashes)].map((cidHash) => {
    const action = account.actions.find((recorded) => recorded.cidHash === cidHash)
    return {
      cid_hash: cidHash,
      action_ipfs_cid: action?.cid ?? null,
      name: action?.name ?? '',
      description: action?.description ?? '',
      groups: groups.filter((group) => group.cidHashes.includes(cidHash)).map(({ id }) => id),
    }
  })
}

function wholeGroupRecord(account: AccountView, group: GroupView): WholeGroup {
  return {
    ...groupRecord(group),
    wallets: walletsIn(account, group).map(walletRecord),
    actions: actionRecordsIn(account, group),
    keys: usageKeysOf(account)
      .filter((key) => listsGroup(key, group.id))
      .map((key) => usageKeyRecord(key, null)),
  }
}

/** Returns true if any list of groups in the key contains the group, or 0 for all groups. */
function listsGroup(key: UsageKeyView, groupId: number): boolean {
  return [
    key.manageIpfsIdsInGroups,
    key.addPkpToGroups,
    key.removePkpFromGroups,
    key.executeInGroups,
  ].some((groups) => groups.includes(0) || groups.includes(groupId))
}
