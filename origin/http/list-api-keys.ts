import { usageKeyRecord } from '../../shared/account-records.ts'
import { usageApiKeysAnswer } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { spendCapRecord } from './spend-cap.ts'

/**
 * The usage keys of the account with their scopes and caps, oldest first. Never a key. Caps are money, and the service's
 * alone: so the admin wallet of a ChainSecured account reads them here too.
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
