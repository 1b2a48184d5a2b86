import { ActionCell, Badge, Cell, Time } from '../../browser/components/elements.tsx'
import { idOfGrant } from '../../identity/credential-id.ts'
import type { Session } from '../../identity/sessions.ts'
import type { Grant } from '../../oauth/grants.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { accessText } from './scope-texts.ts'

export const GRANTS_PATH = '/agent/grants'

export const grantCsrfSubject = (id: string): string => `agent-grants/revoke/${id}`

/** Row of a program that was authorized with OAuth. */
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
  return (
    <tr>
      <th scope="row">
        <strong>
          <bdi>{clientName}</bdi>
        </strong>{' '}
        <Badge {...BADGES[state]} />
        {/* Only a redirect URI proves that the client belongs to the site. */}
        <p class="note">
          {redirectUri === '' ? 'Site (not verified)' : 'Site'} {new URL(clientId).host}
        </p>
        <p class="note">
          ID <code>{idOfGrant(id)}</code>
        </p>
      </th>
      <Cell of="Access">{accessText(scopes)}</Cell>
      <Cell of="Authorized">
        <Time at={createdAt} />
      </Cell>
      <Cell of="Last used">{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />}</Cell>
      <Cell of={EXPIRY}>{state === 'revoked' ? '–' : <Time at={expiresAt} />}</Cell>
      <ActionCell>
        {state === 'live' && (
          <form method="post" action={`${GRANTS_PATH}/revoke`}>
            <input type="hidden" name="grant" value={id} />
            <CsrfField session={session} subject={grantCsrfSubject(id)} />
            <button class="danger" aria-label={`Revoke ${clientName}`}>
              Revoke
            </button>
          </form>
        )}
      </ActionCell>
    </tr>
  )
}

/** Column of the time at which a token expires, or has expired. */
export const EXPIRY = 'Expires if unused'

export const BADGES = {
  live: { tone: 'good', children: 'Active' },
  ended: { children: 'Expired' },
  revoked: { tone: 'bad', children: 'Revoked' },
} as const
