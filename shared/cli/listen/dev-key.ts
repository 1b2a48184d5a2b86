import type { LocalTarget } from './local-target.ts'
import { setAccountKey, storedOriginEntry } from '../credentials/credentials.ts'
import { apiKeyHash } from '../../crypto/keccak.ts'
import { WILDCARD } from '../../cid/wildcard.ts'

/** Name of the group and of the usage key. */
export const DEV_KEY = 'svc dev'

/**
 * Creates what a usage key for development needs: an account, if none is stored for the stack, and a group that permits
 * every action and every wallet of the account, so that a changed action needs no new permission. Only a local stack may
 * have such a group: its wallets hold nothing of value.
 * @returns the usage key, which is stored as `DEV_KEY`
 */
export async function ensureDevKey(target: LocalTarget): Promise<string> {
  const { stack, credentials } = target
  const change = (set: (origin: ReturnType<typeof storedOriginEntry>) => void) =>
    credentials.change((kept) => set(storedOriginEntry(kept, stack.baseUrl)))
  const { account_key } = await credentials.origin(stack.baseUrl)
  const anyone = await target.client({})
  // A key that is stored for this address may belong to a stack with another state folder.
  if (account_key === undefined || !(await anyone.accountExists(account_key))) {
    const fields = { account_name: DEV_KEY, account_description: '' }
    const { api_key } = await anyone.newAccount(fields)
    await change((origin) => setAccountKey(origin, api_key))
  }
  const client = await target.client({ key: 'account' })
  const hashes = new Set<string>()
  for await (const { api_key_hash } of client.listApiKeys()) hashes.add(api_key_hash)
  const { usage_keys = [] } = await credentials.origin(stack.baseUrl)
  const stored = usage_keys.findLast(({ name }) => name === DEV_KEY)
  if (stored && hashes.has(stored.hash)) return stored.key
  const { group_id } = await client.addGroup({
    group_name: DEV_KEY,
    group_description: 'Actions in development',
    pkp_ids_permitted: [WILDCARD],
    cid_hashes_permitted: [0],
  })
  const fields = { name: DEV_KEY, execute_in_groups: [group_id] }
  const { usage_api_key: key } = await client.addUsageApiKey(fields)
  await change((origin) => {
    const others = (origin.usage_keys ?? []).filter(({ name }) => name !== DEV_KEY)
    // The last one is the default key of other commands.
    origin.usage_keys = [{ name: DEV_KEY, hash: apiKeyHash(key), key }, ...others]
  })
  return key
}
