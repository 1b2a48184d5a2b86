/**
 * Converts an account as stored in the contract to records of the API, so that reads return the same data in both
 * modes.
 */
import { groupRecord, usageKeyRecord } from '../../account-records.ts'
import type { RegisteredAction, UsageKey, Wallet, WholeGroup } from '../core/account.ts'
import type { AccountView, GroupView, UsageKeyView, WalletView } from './contract-coding.ts'

const WILDCARD = `0x${'0'.repeat(64)}`

export function walletRecord(wallet: WalletView): Wallet {
  return {
    wallet_address: wallet.address,
    pkp_id: wallet.pkpId,
    name: wallet.name,
    description: wallet.description,
    derivation_path: wallet.derivationPath,
  }
}

/**
 * Builds the record of a usage key for lists.
 * @param known the service's record of the key. Undefined if the service has not seen the key yet. In that case, the
 * key has no spending cap
 */
export function listedKeyRecord(key: UsageKeyView, known: UsageKey | undefined): UsageKey {
  return {
    ...usageKeyRecord(key, known?.last_used_at ?? null),
    spend_cap_cents: known?.spend_cap_cents ?? null,
    spend_window_seconds: known?.spend_window_seconds ?? null,
    spent_cents: known?.spent_cents ?? null,
  }
}

/**
 * Returns the groups of an account, sorted by ID. The contract does not preserve their order: when a group is removed,
 * the last one moves into its place.
 */
export function groupsOf({ groups }: AccountView): GroupView[] {
  return groups.toSorted((one, other) => one.id - other.id)
}

/** Returns the usage keys of an account, oldest first. */
export function usageKeysOf({ usageApiKeys }: AccountView): UsageKeyView[] {
  return usageApiKeys.toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Returns the wallets that a group permits. If the group has the wildcard, returns all wallets of the account. */
export function walletsIn({ wallets }: AccountView, { pkpIds }: GroupView): WalletView[] {
  if (pkpIds.includes(WILDCARD)) return [...wallets]
  return pkpIds.flatMap((id) => wallets.find(({ pkpId }) => pkpId === id) ?? [])
}

/** Returns the recorded actions of an account, followed by hashes that groups permit without a record. */
export function actionRecords(account: AccountView): RegisteredAction[] {
  const recorded = account.actions.map(({ cidHash }) => cidHash)
  const permitted = groupsOf(account).flatMap(({ cidHashes }) => cidHashes)
  return recordsOf(account, [...recorded, ...permitted.filter((hash) => hash !== WILDCARD)])
}

/**
 * Returns the actions that a group permits. If the group has the wildcard, the list also includes all recorded actions.
 */
export function actionRecordsIn(
  account: AccountView,
  { cidHashes }: GroupView,
): RegisteredAction[] {
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

export function wholeGroupRecord(account: AccountView, group: GroupView): WholeGroup {
  return {
    ...groupRecord(group),
    wallets: walletsIn(account, group).map(walletRecord),
    actions: actionRecordsIn(account, group),
    keys: usageKeysOf(account)
      .filter((key) => lists(key, group.id))
      .map((key) => usageKeyRecord(key, null)),
  }
}

/** Returns true if any list of groups in a usage key contains the group, or 0 for all groups. */
function lists(key: UsageKeyView, groupId: number): boolean {
  return [
    key.manageIpfsIdsInGroups,
    key.addPkpToGroups,
    key.removePkpFromGroups,
    key.executeInGroups,
  ].some((groups) => groups.includes(0) || groups.includes(groupId))
}
