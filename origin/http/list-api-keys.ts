import { usageApiKeysAnswer } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { usageKeyRecord } from './usage-key-record.ts'

/** The usage keys of the account with their scopes, oldest first. Never a key. */
export const listApiKeys: Operation = {
  method: 'GET',
  path: '/core/v1/list_api_keys',
  summary: 'The usage keys of the account and what each may do.',
  auth: 'account_key',
  list: true,
  answer: usageApiKeysAnswer,
  statuses: [503],
  handle: async ({ principal, page }, { keyUses }) => {
    const keys = [...principal.account.usageKeys.values()]
    const shown = page.of(keys.toSorted((one, other) => one.createdAt - other.createdAt))
    const uses = await keyUses.lastUsedAt(shown.items.map(({ hash }) => hash))
    return shown.map((key) => usageKeyRecord(key, uses.get(key.hash)))
  },
}
