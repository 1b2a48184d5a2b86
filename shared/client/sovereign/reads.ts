/** Reads the account's lists from the contract. Each iteration over a list reads the full account again. */
import { groupRecord } from '../../wire/account-records.ts'
import type { AccountOperations, UsageKey } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'
import { listing } from '../core/listing.ts'
import type { CallOptions } from '../options.ts'
import type { AccountContract } from './account-contract.ts'
import { groupIdOf } from './arguments.ts'
import type { AccountView, GroupView } from './contract-codec.ts'
import {
  actionRecords,
  actionRecordsIn,
  groupsOf,
  listedKeyRecord,
  usageKeysOf,
  walletRecord,
  walletsIn,
  wholeGroupRecord,
} from './records.ts'
import { TransactionReverted } from './transaction-failures.ts'

/**
 * Creates the read operations. The contract stores the keys and their permissions. The service stores spending caps and
 * the times of last use.
 * @param billing calls that the wallet's proof authorizes
 */
export function accountReads(contract: AccountContract, billing: CoreCalls) {
  const list = <Item>(items: (account: AccountView) => Item[], options?: CallOptions) =>
    listing(async function* () {
      yield items(await contract.account(options))
    })
  return {
    getAccount: (options) => billing.read('get_account', {}, options),
    listWallets: (options) => list(({ wallets }) => wallets.map(walletRecord), options),
    listWalletsInGroup: ({ group_id }, options) =>
      list(
        (account) => walletsIn(account, requireGroup(account, group_id)).map(walletRecord),
        options,
      ),
    listGroups: (options) => list((account) => groupsOf(account).map(groupRecord), options),
    getGroup: async ({ group_id }, options) => {
      const account = await contract.account(options)
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
