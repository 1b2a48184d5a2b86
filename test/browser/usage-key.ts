import type { StartedStack } from '../system/stack.ts'

/**
 * Creates an account with a usage key that is permitted to run any action. @param more fields of the key, such as a
 * spending cap
 */
export async function usageKeyForAll(
  { baseUrl }: StartedStack,
  more: object = {},
): Promise<string> {
  const core = async (path: string, body: object, key = ''): Promise<any> => {
    const answer = await fetch(`${baseUrl}/core/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  const { api_key } = await core('new_account', { account_name: 'runs', account_description: '' })
  const group = { group_name: 'any action', cid_hashes_permitted: ['0'] }
  const { group_id } = await core('add_group', group, api_key)
  const usage = { name: 'runs', execute_in_groups: [group_id], ...more }
  return (await core('add_usage_api_key', usage, api_key)).usage_api_key
}
