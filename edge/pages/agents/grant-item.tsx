import type { Child } from 'hono/jsx'
import { Badge, FactList, Time } from '../../browser/components/elements.tsx'
import { idOfGrant } from '../../identity/credential-id.ts'
import type { Session } from '../../identity/sessions.ts'
import type { Grant } from '../../oauth/grants.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { accessText } from './scope-texts.ts'

export const GRANTS_PATH = '/agent/grants'

export const grantCsrfSubject = (id: string): string => `agent-grants/revoke/${id}`

/** List item of a program that was authorized with OAuth. */
export function GrantItem({
  grant,
  session,
  now,
}: {
  grant: Grant
  session: Session
  now: number
}) {
  const {
    id,
    clientId,
    clientName,
    redirectUri,
    scopes,
    createdAt,
    lastUsedAt,
    expiresAt,
    revokedAt,
  } = grant
  const state = revokedAt !== null ? 'revoked' : expiresAt <= now ? 'ended' : 'live'
  const facts: [string, Child][] = [
    // Only a redirect URI proves that the client belongs to the site.
    [redirectUri === '' ? 'Site (not verified)' : 'Site', new URL(clientId).host],
    ['ID', <code>{idOfGrant(id)}</code>],
    ['Access', accessText(scopes)],
    ['Authorized', <Time at={createdAt} />],
    ['Last used', lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />],
  ]
  if (state === 'live') facts.push(['Expires if unused', <Time at={expiresAt} />])
  return (
    <li>
      <div>
        <h2>
          <bdi>{clientName}</bdi> <Badge {...BADGES[state]} />
        </h2>
        <FactList facts={facts} />
      </div>
      {state === 'live' && (
        <form method="post" action={`${GRANTS_PATH}/revoke`}>
          <input type="hidden" name="grant" value={id} />
          <CsrfField session={session} subject={grantCsrfSubject(id)} />
          <button class="danger" aria-label={`Revoke ${clientName}`}>
            Revoke
          </button>
        </form>
      )}
    </li>
  )
}

export const BADGES = {
  live: { tone: 'good', children: 'active' },
  ended: { children: 'expired' },
  revoked: { tone: 'bad', children: 'revoked' },
} as const
