import { usageKeyRecord } from '../../shared/account-records.ts'
import { usageApiKeysAnswer } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { spendCapRecord } from './spend-cap.ts'

/**
 * Lists the account's usage keys with their permissions and caps, oldest first, without the keys themselves. Caps are
 * stored by the service and not on the chain, so the admin wallet of a ChainSecured account can read them here, too.
 */
export const listApiKeys: Operation = {
  method: 'GET',
  path: '/core/v1/list_api_keys',
  summary: 'The usage keys of the account, what each may do, and what it may spend.',
  auth: 'account_key',
  walletAuth: true,
  list: true,
  answer: usageApiKeysAnswer,
  statuses: [503],
  handle: async ({ principal: { account }, page }, { credits, keyUses }) => {
    const keys = [...account.usageKeys.values()]
    const shown = page.of(keys.toSorted((one, other) => one.createdAt - other.createdAt))
    const uses = await keyUses.lastUsedAt(shown.items.map(({ hash }) => hash))
    const caps = new Map((await credits.caps(account.hash)).map((cap) => [cap.keyHash, cap]))
    return shown.map((key) => ({
      ...usageKeyRecord(key, uses.get(key.hash)?.toISOString() ?? null),
      ...spendCapRecord(caps.get(key.hash)),
    }))
  },
}
