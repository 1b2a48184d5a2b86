/** Signed-in people who use the console’s endpoints for linked accounts. */
import { pageToken } from '../../../edge/pages/requests/page-request.ts'
import { startSession } from '../../../edge/identity/sessions.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { PAGE_TOKEN_HEADER } from '../../../shared/wire/account-links.ts'
import type { LinkedAccounts } from '../../../shared/wire/account-links.ts'
import { db, edge, env, random } from '../app.ts'

export const FROM_US = { origin: 'https://edge.test', 'sec-fetch-site': 'same-origin' }

/** A usage key of the origin double, whose prefix can determine its kind. */
export const someUsageKey = () => Buffer.from(random(32)).toString('base64')

export type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** @param known ID and address of a user who signs in again */
export async function signedIn(email = `${crypto.randomUUID()}@example.test`) {
  const identity = { db, now: Date.now, random, settings: env }
  const user = await findOrCreateUser(identity, email)
  const secret = await startSession(identity, user.id)
  const token = await pageToken({ user, secret, startedAt: Date.now() })
  const own = { cookie: `__Host-svc=${secret}`, [PAGE_TOKEN_HEADER]: token }
  const send = (path: string, init: RequestInit = {}, headers: Record<string, string> = FROM_US) =>
    edge(path, { ...init, headers: { ...own, ...headers, ...(init.headers as object) } })
  const post = (path: string, body: object = {}, headers: Record<string, string> = FROM_US) =>
    send(
      path,
      {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      },
      headers,
    )
  return {
    ...user,
    secret,
    token,
    send,
    post,
    list: async (): Promise<LinkedAccounts> => (await send('/console/accounts')).json(),
    link: async (usage_api_key = someUsageKey(), name = 'Treasury'): Promise<string> => {
      const response = await post('/console/accounts', { name, usage_api_key })
      const { id }: { id: string } = await response.json()
      return id
    },
  }
}

/** Shares the account, and accepts the invitation as a new person. */
export async function sharedWith(owner: SignedIn, id: string, scope: string): Promise<SignedIn> {
  const member = await signedIn()
  await owner.post(`/console/accounts/${id}/shares`, { email: member.email, scope })
  const [invitation] = (await member.list()).invitations
  await member.post(`/console/invitations/${invitation!.id}/accept`)
  return member
}
