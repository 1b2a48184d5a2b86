import type { FC } from 'hono/jsx'
import type { AuditEntry } from '../../../../shared/client/core/audit-log.ts'
import { Badge, FactList } from '../../components/elements.tsx'
import { LazyDetails } from '../../components/lazy-details.tsx'
import { UserText } from '../../components/user-text.tsx'
import { formatTime } from '../../format/times.ts'
import { escapeLines } from '../../format/values.ts'
import { actorName } from './entry-filter.ts'

export const EntryRow: FC<{ entry: AuditEntry }> = ({ entry }) => {
  const { at, operation, outcome, actor, client_address: address } = entry
  return (
    <li>
      <div>
        <h3>
          <code>
            <UserText text={operation} max={80} />
          </code>{' '}
          {outcome !== 'done' && <Badge tone="bad">{outcome}</Badge>}
        </h3>
        <p class="note">
          <time datetime={at}>{formatTime(Date.parse(at))}</time>, by{' '}
          <UserText text={actorName(actor)} />
          {address !== null && (
            <>
              {' '}
              from <UserText text={address} />
            </>
          )}
        </p>
      </div>
      <LazyDetails class="part" summary={`Show entry ${entry.sequence}`}>
        <EntryFacts entry={entry} />
      </LazyDetails>
    </li>
  )
}

const EntryFacts: FC<{ entry: AuditEntry }> = ({ entry }) => (
  <>
    <FactList
      facts={[
        ...Object.entries(entry.subject).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
        ['request_id', entry.request_id ?? 'none'],
        ['sha256', entry.sha256],
      ].map(([name, value]) => [
        name!,
        <code>
          <UserText text={value!} />
        </code>,
      ])}
    />
    <pre class="lines" tabindex={0}>
      <code>{escapeLines(JSON.stringify(entry.details, null, 2))}</code>
    </pre>
  </>
)
