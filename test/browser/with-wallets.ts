/** Visitors at the console with wallets in their browser. */
import { createClient } from '../../shared/client/client.ts'
import type { ApiClient } from '../../shared/client/api/client.ts'
import type { InjectedWallet } from './browser-wallets.ts'
import { evaluate } from './evaluate.ts'
import { judge } from './judged-page.ts'
import type { Visitor } from './visitor.ts'
import type { Walks } from './walks.ts'

export const MARKUP = `"><img src=x onerror=alert(1)>\u202Ebad<script>alert(2)</script>`

export function withWallets(walks: Walks) {
  const chainUrl = () => walks.stack.stack.chainUrl

  async function visitorWith(...wallets: InjectedWallet[]): Promise<Visitor> {
    const visitor = await walks.visitor()
    for (const wallet of wallets) await wallet.injectInto(visitor.page)
    await visitor.open('/console')
    return visitor
  }

  async function newAccount(): Promise<{ apiKey: string; client: ApiClient }> {
    const client = createClient({ baseUrl: walks.stack.baseUrl, verify: 'never' })
    const { api_key: apiKey } = await client.newAccount({ account_name: 'walked' })
    return { apiKey, client }
  }

  async function connectKey({ page }: Visitor, apiKey: string): Promise<void> {
    await page.getByLabel('API key').fill(apiKey)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('link', { name: 'Ownership' }).click()
    await page.getByRole('heading', { name: 'Convert to ChainSecured' }).waitFor()
  }

  return { chainUrl, visitorWith, newAccount, connectKey }
}

/** Checks a console page. The limit covers everything that the console loads for an account. */
export async function judgeConsole(
  page: Visitor['page'],
  name: string,
  maxLoadedBytes = 700 * 1024,
): Promise<void> {
  // The chain or a wallet responds late to a user action, so the new view is not a layout shift.
  await evaluate(page, 'globalThis.judgedUntil = performance.now()')
  await judge(page, name, { maxLoadedBytes })
}
