/** Lists and revokes authorized programs (docs/decisions/0049). */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { csrfToken, isCsrfToken } from '../identity/csrf.ts'
import {
  listTokens,
  type OwnedToken,
  revokeAllTokens,
  revokeToken,
  TOKENS_LISTED,
} from '../identity/owned-tokens.ts'
import { decode32Bytes } from '../identity/secret.ts'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { readOwnForm } from './form.ts'
import { notice, page, seeOther, signInPath } from './page.tsx'
import { Badge, Facts, Time } from '../console/parts.tsx'

const PATH = '/agent/tokens'

/** Revokes all tokens instead of a single token. */
const ALL = 'all'

const BACK = { href: PATH, text: 'Back to the list' }

export function registerAgentTokens(app: App): void {
  app.get(PATH, (c) => list(c))
  app.post(`${PATH}/revoke`, (c) => revoke(c))
}

async function list(c: Context<AppEnv>): Promise<Response> {
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const tokens = await listTokens(c.var.services, session.user.id)
  const form = async (token: string) => ({
    token,
    csrf: await csrfToken(session.secret, csrfSubject(token)),
  })
  const rows = await Promise.all(
    tokens.map(async (token) => <Token token={token} form={await form(token.challenge)} />),
  )
  const hasLive = tokens.some(({ state }) => state === 'live')
  const content = (
    <>
      <p class="lead">
        These programs can view or change the triggers of <strong>{session.user.email}</strong>.
      </p>
      {rows.length > 0 && <ul class="rows">{rows}</ul>}
      {rows.length === 0 && (
        <p class="card">
          No programs yet. Open the link printed by a program, and choose Authorize.
        </p>
      )}
      {rows.length === TOKENS_LISTED && <p>Only the first {TOKENS_LISTED} are shown.</p>}
      {hasLive && <p class="note">{AFTERWARDS}</p>}
      {hasLive && <RevokeAll form={await form(ALL)} />}
    </>
  )
  return page(c, { title: 'Authorized programs' }, content)
}

type RevokeForm = { token: string; csrf: string }

function Token({ token, form }: { token: OwnedToken; form: RevokeForm }) {
  const { scopes, createdAt, lastUsedAt, endsAt, state } = token
  const label = token.label ?? NO_NAME
  const facts: [string, Child][] = [
    ['Access', ACCESS[scopes.join(' ')] ?? scopes.join(', ')],
    ['Authorized', <Time at={createdAt} />],
    ['Last used', lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />],
  ]
  if (state === 'live') facts.push(['Expires if unused', <Time at={endsAt} />])
  if (state === 'ended') facts.push(['Expired', <Time at={endsAt} />])
  return (
    <li>
      <div>
        <h2>
          <bdi>{label}</bdi> <Badge {...BADGES[state]} />
        </h2>
        <Facts facts={facts} />
      </div>
      {state === 'live' && (
        <form method="post" action={`${PATH}/revoke`}>
          <Fields form={form} />
          <button type="submit" class="danger" aria-label={`Revoke ${label}`}>
            Revoke
          </button>
        </form>
      )}
    </li>
  )
}

/** Inside `details`, so that a single click cannot revoke all programs. */
function RevokeAll({ form }: { form: RevokeForm }) {
  return (
    <details>
      <summary>Revoke all</summary>
      <form method="post" action={`${PATH}/revoke`} class="card">
        <Fields form={form} />
        <p>All of your programs will need a new token.</p>
        <p class="actions">
          <button type="submit" class="danger">
            Revoke all programs
          </button>
        </p>
      </form>
    </details>
  )
}

function Fields({ form: { token, csrf } }: { form: RevokeForm }) {
  return (
    <>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="csrf" value={csrf} />
    </>
  )
}

const NO_NAME = 'Unnamed program'

const ACCESS: Record<string, string> = {
  'triggers:read triggers:write': 'all',
  'triggers:read': 'read only',
  'triggers:write': 'write only',
}

const BADGES = {
  live: { tone: 'good', children: 'active' },
  ended: { children: 'expired' },
  revoked: { tone: 'bad', children: 'revoked' },
} as const

const AFTERWARDS =
  'A revoked token stops working immediately and permanently. Triggers that it created keep firing, and queued runs still run: pause or delete a trigger to stop it.'

async function revoke(c: Context<AppEnv>): Promise<Response> {
  const form = await readOwnForm(c)
  if (form instanceof Response) return form
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const token = form.get('token') ?? ''
  if (!(await isCsrfToken(form.get('csrf') ?? '', session.secret, csrfSubject(token)))) {
    return notice(c, {
      status: 403,
      title: 'This page is out of date',
      text: 'Nothing was revoked. You may have signed in again, or with another account, since it was opened.',
      link: BACK,
    })
  }
  const { services } = c.var
  const userId = session.user.id
  if (token === ALL) {
    await revokeAllTokens(services, userId)
    return notice(c, { title: 'All programs revoked', text: AFTERWARDS, link: BACK })
  }
  const isOwned =
    decode32Bytes(token) && (await revokeToken(services, { challenge: token, userId }))
  if (isOwned) return notice(c, { title: 'Revoked', text: AFTERWARDS, link: BACK })
  return notice(c, {
    status: 404,
    title: 'Program not found',
    text: 'Nothing was revoked.',
    link: BACK,
  })
}

/** Bound to one program, so that a CSRF token cannot revoke another program. */
function csrfSubject(token: string): string {
  return `agent-tokens/revoke/${token}`
}
