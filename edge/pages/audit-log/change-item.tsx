import type { Child, FC } from 'hono/jsx'
import type { TriggerLogEntry } from '../../../shared/wire/trigger-log.ts'
import { FactList, Time } from '../../browser/components/elements.tsx'
import { UserText } from '../../browser/components/user-text.tsx'

export const OPERATION_TEXTS: Record<TriggerLogEntry['operation'], string> = {
  create_trigger: 'Created',
  change_trigger: 'Changed',
  delete_trigger: 'Deleted',
}

export const ACTOR_TEXTS: Record<TriggerLogEntry['actor']['kind'], string> = {
  session: 'You, in the console',
  agent_token: 'Access token',
  oauth_client: 'OAuth client',
  operator: 'Operator',
}

/** A change with its old and new values. Deleted triggers have no page to link to. */
export const ChangeItem: FC<{ entry: TriggerLogEntry }> = ({ entry }) => {
  const { sequence, at, operation, subject, client_address: address, details, sha256 } = entry
  const name = typeof details['name'] === 'string' ? details['name'] : ''
  const path = `/triggers/${subject.trigger_id}`
  return (
    <li>
      <div>
        <h3>
          {OPERATION_TEXTS[operation]}:{' '}
          {operation === 'delete_trigger' ? (
            <UserText text={name} max={80} />
          ) : (
            <a href={path}>
              <UserText text={name} max={80} />
            </a>
          )}
        </h3>
        <p class="note">
          <Time at={Date.parse(at)} />, by <Actor entry={entry} />
          {address !== null && (
            <>
              {' '}
              from <UserText text={address} />
            </>
          )}
        </p>
        <details>
          <summary>Entry {sequence}</summary>
          <FactList
            facts={[
              ...Object.entries(details['changes'] ?? {}).map(
                ([field, change]): [string, Child] => [field, <ChangedValue change={change} />],
              ),
              [
                'Trigger',
                <a href={`/audit-log?trigger_id=${subject.trigger_id}`}>
                  All changes of {subject.trigger_id}
                </a>,
              ],
              ['SHA-256', <code>{sha256}</code>],
            ]}
          />
        </details>
      </div>
    </li>
  )
}

const Actor: FC<{ entry: TriggerLogEntry }> = ({ entry: { actor, details } }) => {
  const name = details['actor_name']
  return (
    <>
      {actor.kind === 'session' ? 'you, in the console' : ACTOR_TEXTS[actor.kind].toLowerCase()}
      {typeof name === 'string' && (
        <>
          {' '}
          <UserText text={name} max={80} />
        </>
      )}
      {actor.id !== null && (
        <>
          {' '}
          <a href="/agent/tokens">
            <UserText text={actor.id} max={40} />
          </a>
        </>
      )}
    </>
  )
}

const ChangedValue: FC<{ change: { from?: string | null; to?: string | null } }> = ({
  change: { from, to },
}) => {
  if (from === undefined || to === undefined) return <>changed; the value is not logged</>
  return (
    <>
      <Value text={from} /> → <Value text={to} />
    </>
  )
}

const Value: FC<{ text: string | null }> = ({ text }) =>
  text === null ? (
    <>nothing</>
  ) : (
    <code>
      <UserText text={text} max={200} />
    </code>
  )
