import { usageKeyRecord } from '../../shared/wire/account-records.ts'
import { usageApiKeysResponse } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { toLimitsRecord } from './key-limits.ts'
import { toSpendCapRecord } from './spend-cap.ts'

/**
 * Lists the account's usage keys, oldest first, without the key texts. The admin wallet of a ChainSecured account may
 * also call this operation, because spending caps and limits are not on the chain.
 */
export const listApiKeysOperation: Operation = {
  method: 'GET',
  path: '/core/v1/list_api_keys',
  summary: 'Lists the usage keys of the account with their permissions, spending caps and limits.',
  auth: 'account_reader',
  walletAuth: true,
  list: true,
  responseSchema: usageApiKeysResponse,
  statuses: [503],
  handle: async ({ principal: { account }, page }, { credits, keyLimits, keyUses }) => {
    const keys = [...account.usageKeys.values()]
    const shown = page.of(keys.toSorted((one, other) => one.createdAt - other.createdAt))
    const uses = await keyUses.lastUsedAt(shown.items.map(({ hash }) => hash))
    const caps = new Map((await credits.caps(account.hash)).map((cap) => [cap.keyHash, cap]))
    return shown.map((key) => ({
      ...usageKeyRecord(key, uses.get(key.hash)?.toISOString() ?? null),
      ...toSpendCapRecord(caps.get(key.hash)),
      ...toLimitsRecord(keyLimits.ofKey({ accountHash: account.hash, keyHash: key.hash })),
    }))
  },
}
