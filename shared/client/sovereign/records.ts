/** Converts the contract's data to API records, so that reads return the same data in both modes. */
import { WILDCARD } from '../../cid/wildcard.ts'
import { groupRecord, usageKeyRecord } from '../../wire/account-records.ts'
import type { RegisteredAction, UsageKey, Wallet, WholeGroup } from '../core/account.ts'
import type { AccountView, GroupView, UsageKeyView, WalletView } from './contract-codec.ts'

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
 * Returns the record of a usage key.
 * @param known the service's record of the key. Undefined if the service has not seen the key yet. Such a key has no
 * spending cap
 */
export function listedKeyRecord(key: UsageKeyView, known: UsageKey | undefined): UsageKey {
  return {
    ...usageKeyRecord(key, known?.last_used_at ?? null),
    spend_cap_cents: known?.spend_cap_cents ?? null,
    spend_window_seconds: known?.spend_window_seconds ?? null,
    spent_cents: known?.spent_cents ?? null,
  }
}

/** Returns the groups sorted by ID, because the contract moves the last group into the place of a removed group. */
export function groupsOf({ groups }: AccountView): GroupView[] {
  return groups.toSorted((one, other) => one.id - other.id)
}

export function usageKeysOf({ usageApiKeys }: AccountView): UsageKeyView[] {
  return usageApiKeys.toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Returns the wallets in a group, or all wallets of the account if the group has the wildcard. */
export function walletsIn({ wallets }: AccountView, { pkpIds }: GroupView): WalletView[] {
  if (pkpIds.includes(WILDCARD)) return [...wallets]
  return pkpIds.flatMap((id) => wallets.find(({ pkpId }) => pkpId === id) ?? [])
}

/** Returns the recorded actions, followed by hashes that groups permit without a record. */
export function actionRecords(account: AccountView): RegisteredAction[] {
  const recorded = account.actions.map(({ cidHash }) => cidHash)
  const permitted = groupsOf(account).flatMap(({ cidHashes }) => cidHashes)
  return recordsOf(account, [...recorded, ...permitted.filter((hash) => hash !== WILDCARD)])
}

/** Returns the actions that a group permits. If the group has the wildcard, also includes all recorded actions. */
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
