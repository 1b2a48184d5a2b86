/** An account created through the API, and its owner at the console. */
import type { Page } from 'playwright-core'
import type { ApiClient } from '../../shared/client/api/client.ts'
import { createClient } from '../../shared/client/client.ts'
import { evaluate } from './evaluate.ts'
import type { Visitor } from './visitor.ts'
import type { Walks } from './walks.ts'

export type OpenedAccount = { client: ApiClient; apiKey: string }

export async function openAccount(walks: Walks): Promise<OpenedAccount> {
  const opener = createClient({ baseUrl: walks.triggersUrl, verify: 'never' })
  const { api_key: apiKey } = await opener.newAccount({ account_name: 'Walker' })
  return { client: clientWithKey(walks, apiKey), apiKey }
}

export function clientWithKey(walks: Walks, apiKey: string): ApiClient {
  return createClient({ baseUrl: walks.triggersUrl, verify: 'never', apiKey })
}

/** A visitor connected with the key. @param view such as `actions` */
export async function atConsole(walks: Walks, apiKey: string, view: string): Promise<Visitor> {
  const visitor = await walks.visitor()
  await visitor.open(`/console#${view}`)
  await connect(visitor, apiKey)
  return visitor
}

/** Connects from the page that asks for a key; `keep` stores the key in this tab. */
export async function connect({ page }: Visitor, apiKey: string, keep = false): Promise<void> {
  await page.getByLabel('API key').fill(apiKey)
  if (keep) await page.getByLabel(/^Keep it in this tab/).check()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.locator('.view').waitFor()
}

/** Ignores layout shifts up to now: a user action caused them, even if they come late. */
export async function settled(page: Page): Promise<void> {
  await evaluate(page, 'globalThis.judgedUntil = performance.now()')
}
