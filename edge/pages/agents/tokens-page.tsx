/** Page that lists and revokes authorized programs (docs/decisions/0049). */
import type { Context } from 'hono'
import {
  listTokens,
  type OwnedToken,
  revokeAllTokens,
  revokeToken,
  TOKENS_LISTED,
} from '../../identity/owned-tokens.ts'
import { idOfToken } from '../../identity/credential-id.ts'
import { listGrants, revokeAllGrants, revokeOwnGrant } from '../../oauth/grants.ts'
import { decode32Bytes } from '../../identity/secret.ts'
import { DEVICE_PATH } from '../../../shared/wire/oauth.ts'
import type { Session } from '../../identity/sessions.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { noticePage, renderPage, seeOther, signInPath } from '../layout/render-page.tsx'
import { ActionCell, Badge, Cell, ListTable, Time } from '../../browser/components/elements.tsx'
import { BADGES, EXPIRY, GrantItem, grantCsrfSubject, GRANTS_PATH } from './grant-item.tsx'
import { accessText } from './scope-texts.ts'

const PATH = '/agent/tokens'

const ALL = 'all'

const BACK = { href: PATH, text: 'Back to the list' }

const STALE = {
  text: 'Nothing was revoked. You may have signed in again, or with another account, since it was opened.',
  link: BACK,
}

export function registerAgentTokens(app: App): void {
  app.get(PATH, (c) => showTokens(c))
  app.post(`${PATH}/revoke`, (c) => revoke(c))
  app.post(`${GRANTS_PATH}/revoke`, (c) => revokeProgram(c))
}

async function showTokens(c: Context<AppEnv>): Promise<Response> {
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const { services } = c.var
  const [tokens, grants] = await Promise.all([
    listTokens(services, session.user.id),
    listGrants(services, session.user.id),
  ])
  const now = services.now()
  const isEmpty = tokens.length + grants.length === 0
  const hasLive =
    tokens.some(({ state }) => state === 'live') ||
    grants.some(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now)
  const content = (
    <>
      <p class="lead">
        Programs with these tokens can view or change the triggers of{' '}
        <strong>{session.user.email}</strong>.
      </p>
      {!isEmpty && (
        <ListTable
          label="Access tokens"
          columns={['Name', 'Access', 'Authorized', 'Last used', EXPIRY, '(Actions)']}
        >
          {grants.map((grant) => (
            <GrantItem grant={grant} session={session} now={now} />
          ))}
          {tokens.map((token) => (
            <TokenItem token={token} session={session} />
          ))}
        </ListTable>
      )}
      {isEmpty && (
        <section class="card">
          <p>No access tokens yet. Open the link printed by a program, and choose Authorize.</p>
          <p class="actions">
            <a class="button" href="/docs/how-to/use-an-agent">
              Let an agent use it
            </a>
            <a class="button quiet" href={DEVICE_PATH}>
              Enter a code
            </a>
          </p>
        </section>
      )}
      {tokens.length === TOKENS_LISTED && <p>Only the first {TOKENS_LISTED} are shown.</p>}
      {hasLive && <p class="note">{REVOCATION_EFFECT}</p>}
      {hasLive && <RevokeAll session={session} />}
    </>
  )
  return renderPage(c, { title: 'Access tokens', wide: true }, content)
}

function TokenItem({ token, session }: { token: OwnedToken; session: Session }) {
  const { scopes, createdAt, lastUsedAt, endsAt, state } = token
  const label = token.label ?? 'Unnamed program'
  return (
    <tr>
      <th scope="row">
        <strong>
          <bdi>{label}</bdi>
        </strong>{' '}
        <Badge {...BADGES[state]} />
        <p class="note">
          ID <code>{idOfToken(token.challenge)}</code>
        </p>
      </th>
      <Cell of="Access">{accessText(scopes.join(' '))}</Cell>
      <Cell of="Authorized">
        <Time at={createdAt} />
      </Cell>
      <Cell of="Last used">{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />}</Cell>
      <Cell of={EXPIRY}>{state === 'revoked' ? '–' : <Time at={endsAt} />}</Cell>
      <ActionCell>
        {state === 'live' && (
          <form method="post" action={`${PATH}/revoke`}>
            <HiddenFields token={token.challenge} session={session} />
            <button class="danger" aria-label={`Revoke ${label}`}>
              Revoke
            </button>
          </form>
        )}
      </ActionCell>
    </tr>
  )
}

/** The form is inside `details`, so that a single click cannot submit it. */
function RevokeAll({ session }: { session: Session }) {
  return (
    <details>
      <summary>Revoke all</summary>
      <form method="post" action={`${PATH}/revoke`} class="card">
        <HiddenFields token={ALL} session={session} />
        <p>Each of your programs will need a new token.</p>
        <p class="actions">
          <button class="danger">Revoke all tokens</button>
        </p>
      </form>
    </details>
  )
}

function HiddenFields({ token, session }: { token: string; session: Session }) {
  return (
    <>
      <input type="hidden" name="token" value={token} />
      <CsrfField session={session} subject={csrfSubject(token)} />
    </>
  )
}

const REVOCATION_EFFECT =
  'A revoked token stops working immediately and permanently. Triggers that it created keep firing, and queued runs still run: pause or delete a trigger to stop it.'

async function revoke(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const token = form.get('token') ?? ''
  const stale = await rejectStaleForm(c, { session, form }, csrfSubject(token), STALE)
  if (stale) return stale
  const { services } = c.var
  const userId = session.user.id
  if (token === ALL) {
    await revokeAllTokens(services, userId)
    await revokeAllGrants(services, userId)
    return noticePage(c, {
      title: 'All access tokens revoked',
      text: REVOCATION_EFFECT,
      link: BACK,
    })
  }
  const isOwned =
    decode32Bytes(token) && (await revokeToken(services, { challenge: token, userId }))
  if (isOwned) return noticePage(c, { title: 'Revoked', text: REVOCATION_EFFECT, link: BACK })
  return notFoundPage(c)
}

async function revokeProgram(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const id = form.get('grant') ?? ''
  const stale = await rejectStaleForm(c, { session, form }, grantCsrfSubject(id), STALE)
  if (stale) return stale
  if (await revokeOwnGrant(c.var.services, { id, userId: session.user.id }))
    return noticePage(c, { title: 'Revoked', text: REVOCATION_EFFECT, link: BACK })
  return notFoundPage(c)
}

function notFoundPage(c: Context<AppEnv>): Promise<Response> {
  return noticePage(c, {
    status: 404,
    title: 'Program not found',
    text: 'Nothing was revoked.',
    link: BACK,
  })
}

/** Each subject contains the program's token, so that a CSRF token cannot revoke another program. */
function csrfSubject(token: string): string {
  return `agent-tokens/revoke/${token}`
}
