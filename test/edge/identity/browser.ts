import { desc, eq } from 'drizzle-orm'
import { vi } from 'vitest'
import { localMailbox } from '../../../edge/db/schema.ts'
import { db, PUBLIC_URL } from './harness.ts'
import type { identityApp } from './harness.ts'

export const terminal = vi.spyOn(console, 'log').mockImplementation(() => {})

export type Browser = ReturnType<typeof openBrowser>

/** Creates a browser with a cookie jar. Its forms come from our own pages unless the headers differ. */
export function openBrowser({ app }: ReturnType<typeof identityApp>) {
  const jar = { cookie: '' }
  async function send(path: string, headers: Record<string, string>, init: RequestInit = {}) {
    const sent = jar.cookie ? { cookie: jar.cookie, ...headers } : headers
    const response = await app.request(new URL(path, PUBLIC_URL), { ...init, headers: sent })
    jar.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? jar.cookie
    return response
  }
  return {
    jar,
    get: (path: string, headers: Record<string, string> = {}) => send(path, headers),
    post: (path: string, form: Record<string, string>, headers: Record<string, string> = fromUs) =>
      send(path, headers, { method: 'POST', body: new URLSearchParams(form) }),
    /** Sends a request as a script of a page would. */
    ask: (path: string, body: object, headers: Record<string, string> = fromUs) =>
      send(
        path,
        { 'content-type': 'application/json', ...headers },
        { method: 'POST', body: JSON.stringify(body) },
      ),
  }
}

export const fromUs = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }

/** Requests a sign-in link and returns the secret from the e-mail. */
export async function requestLink(browser: Browser, email: string, next = '/'): Promise<string> {
  await browser.post('/sign-in', { email, next })
  const isTo = eq(localMailbox.recipient, email)
  const mail = await db.query.localMailbox.findFirst({
    where: isTo,
    orderBy: desc(localMailbox.id),
  })
  return new URL(/https:\S+/.exec(mail!.text)![0]).searchParams.get('secret')!
}

export async function signIn(browser: Browser, email: string): Promise<void> {
  await browser.post('/sign-in/link', { secret: await requestLink(browser, email) })
}

let people = 0

/** Returns an e-mail address that no other test uses, because the tests of a file share storage. */
export const someone = () => `someone${++people}@example.com`

/** Returns the value of a hidden field of a page. */
export function field(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)![1]!
}
