import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { AuditEntry, AuditLogPage } from '../../../../shared/client/core/audit-log.ts'
import { Select } from '../../components/form-fields.tsx'
import {
  appendOlder,
  filterChoices,
  filterEntries,
  type EntryFilter,
  NO_FILTER,
} from '../audit-log/entry-filter.ts'
import { EntryRow } from '../audit-log/entry-row.tsx'
import { VerificationCard } from '../audit-log/verification-card.tsx'
import { hasFullAccess } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import type { View, ViewProps } from '../view.ts'

const PAGE_LENGTH = 50

export const AuditLogView: View = (props) => {
  const { connection, perform } = props
  const { auditLog } = connection.client
  const isWhole = hasFullAccess(connection)
  const first = useLoaded(async () =>
    isWhole ? await auditLog.page({ page_size: PAGE_LENGTH }) : undefined,
  )
  if (!isWhole)
    return (
      <p class="warn">
        A usage key cannot read the audit log. Connect with the account key, or with the admin
        wallet of a ChainSecured account.
      </p>
    )
  return (
    <>
      <p>
        Changes of this account, and refused attempts. Each entry contains the hash of the entry
        before, and the attested machine signs the last one.
      </p>
      <Loaded
        of={first}
        what="audit log"
        after={<VerificationCard auditLog={auditLog} perform={perform} />}
      >
        {(page) => page && <Entries {...{ page, connection, perform }} />}
      </Loaded>
    </>
  )
}

type EntriesProps = Pick<ViewProps, 'connection' | 'perform'> & { page: AuditLogPage }

const Entries: FC<EntriesProps> = ({ page, connection, perform }) => {
  const [entries, setEntries] = useState<AuditEntry[]>(page.entries)
  const [pages, setPages] = useState(1)
  const [filter, setFilter] = useState(NO_FILTER)
  const shown = filterEntries(entries, filter)
  const hasOlder = (entries.at(-1)?.sequence ?? 1) > 1
  const loadOlder = () =>
    perform('Load older entries', async () => {
      const query = { page_number: pages, page_size: PAGE_LENGTH }
      const older = await connection.client.auditLog.page(query)
      setEntries(appendOlder(entries, older.entries))
      setPages(pages + 1)
    })
  return (
    <>
      <Filters {...{ entries, filter }} onChange={setFilter} />
      {shown.length === 0 ? (
        <p class="card">
          {entries.length === 0 ? 'No entries yet.' : 'None of the loaded entries match.'}
        </p>
      ) : (
        <ol class="rows">
          {shown.map((entry) => (
            <EntryRow key={entry.sequence} entry={entry} />
          ))}
        </ol>
      )}
      {hasOlder && (
        <p>
          <button type="button" class="quiet" onClick={() => void loadOlder()}>
            Load older entries
          </button>
        </p>
      )}
    </>
  )
}

type FiltersProps = {
  entries: readonly AuditEntry[]
  filter: EntryFilter
  onChange: (filter: EntryFilter) => void
}

const Filters: FC<FiltersProps> = ({ entries, filter, onChange }) => {
  const { operations, outcomes, actors } = filterChoices(entries)
  const select = (name: keyof EntryFilter, label: string, all: string, values: string[]) => (
    <Select
      name={name}
      label={label}
      value={filter[name]}
      choices={[['', all], ...values.map((value) => [value, value] as const)]}
      onChange={(event: Event) =>
        onChange({ ...filter, [name]: (event.target as HTMLSelectElement).value })
      }
    />
  )
  return (
    <div class="period">
      {select('operation', 'Operation', 'All operations', operations)}
      {select('outcome', 'Outcome', 'All outcomes', outcomes)}
      {select('actor', 'Actor', 'All actors', actors)}
    </div>
  )
}
