/** Who has an account of the core API, and its key: at the console, and beside it. */
import type { ApiClient } from '../../../shared/client/api/client.ts'
import { createClient } from '../../../shared/client/client.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

export type AccountHolder = { visitor: Visitor; client: ApiClient; apiKey: string }

/** With an account of their own, connected by its key. @param view as `actions` */
export async function accountHolder(walks: Walks, view: string): Promise<AccountHolder> {
  const baseUrl = walks.triggersUrl
  const account = { account_name: `Walker ${view}` }
  const { api_key: apiKey } = await createClient({ baseUrl, verify: 'never' }).newAccount(account)
  const client = clientWithKey(walks, apiKey)
  const visitor = await walks.visitor()
  await connect(visitor, apiKey, view)
  return { visitor, client, apiKey }
}

export function clientWithKey(walks: Walks, apiKey: string): ApiClient {
  return createClient({ baseUrl: walks.triggersUrl, verify: 'never', apiKey })
}

export async function connect(visitor: Visitor, apiKey: string, view: string): Promise<void> {
  const { page } = visitor
  await visitor.open(`/console#${view}`)
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  await page.locator('.view').waitFor()
}
