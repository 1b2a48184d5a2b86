import type { z } from 'zod'
import { withoutUndefined } from '../../../shared/json/without-undefined.ts'
import {
  TRIGGER_LOG_ACTORS,
  TRIGGER_LOG_OPERATIONS,
  triggerLogQuery,
  type TriggerLogPage,
} from '../../../shared/wire/trigger-log.ts'
import { Select } from '../../browser/components/form-fields.tsx'
import type { App } from '../../http/app-env.ts'
import type { ReportsObject } from '../../reports/reports-object.ts'
import { renderPage } from '../layout/render-page.tsx'
import { requireScriptSession } from '../requests/same-origin-json.ts'
import { requirePageSession } from '../requests/session-form.ts'
import { AUDIT_LOG_STYLE } from './audit-log-style.ts'
import { ACTOR_TEXTS, ChangeItem, OPERATION_TEXTS } from './change-item.tsx'
import { VerificationCard } from './verification-card.tsx'

const AUDIT_LOG_PATH = '/audit-log'
const ENTRIES_SHOWN = 25

const filterSchema = triggerLogQuery.omit({ order: true, page_size: true })
type Filter = z.infer<typeof filterSchema>

export function registerAuditLogPage(app: App): void {
  app.get(AUDIT_LOG_PATH, async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const filter = filterOf(c.req.query())
    const { page_number: number, ...rest } = filter
    // The generated RPC stub type cannot represent details that contain arbitrary JSON.
    const reports: Pick<ReportsObject, 'triggerLog'> = c.env.USER_REPORTS.getByName(session.user.id)
    const page = await reports.triggerLog({
      ...rest,
      order: 'newest',
      offset: number * ENTRIES_SHOWN,
      limit: ENTRIES_SHOWN,
    })
    return renderPage(
      c,
      {
        title: 'Changes of triggers',
        style: AUDIT_LOG_STYLE,
        wide: true,
        script: { name: 'audit-log', modules: ['verifier'] },
      },
      <>
        <p class="lead">
          Changes by you, your programs and operators. Each entry contains the hash of the entry
          before.
        </p>
        <h2>Latest changes</h2>
        <FilterForm filter={filter} />
        <Changes page={page} filter={filter} />
        <VerificationCard />
      </>,
    )
  })

  /** Pages of entries for the page's script. */
  app.get(`${AUDIT_LOG_PATH}/entries`, async (c) => {
    const { user } = await requireScriptSession(c)
    const { page_number: number, page_size: limit } = triggerLogQuery
      .pick({ page_number: true, page_size: true })
      .catch({ page_number: 0, page_size: ENTRIES_SHOWN })
      .parse(c.req.query())
    const reports: Pick<ReportsObject, 'triggerLog'> = c.env.USER_REPORTS.getByName(user.id)
    return c.json(await reports.triggerLog({ order: 'newest', offset: number * limit, limit }))
  })
}

/** Without a valid filter, the page shows all changes from the start. The form sends empty fields. */
function filterOf(query: Record<string, string>): Filter {
  const filled = Object.entries(query).filter(([, value]) => value !== '')
  const read = filterSchema.safeParse(Object.fromEntries(filled))
  return read.success ? read.data : { page_number: 0 }
}

function pathOf({ page_number: number, ...filter }: Filter): string {
  const query = new URLSearchParams(withoutUndefined(filter))
  if (number > 0) query.set('page_number', String(number))
  return query.size > 0 ? `${AUDIT_LOG_PATH}?${query.toString()}` : AUDIT_LOG_PATH
}

const FilterForm = ({ filter: { trigger_id, operation, actor } }: { filter: Filter }) => (
  <form method="get" action={AUDIT_LOG_PATH} class="filters" aria-label="Filter changes">
    {trigger_id !== undefined && <input type="hidden" name="trigger_id" value={trigger_id} />}
    <Select
      name="operation"
      label="Change"
      value={operation ?? ''}
      choices={[
        ['', 'All changes'],
        ...TRIGGER_LOG_OPERATIONS.map((name) => [name, OPERATION_TEXTS[name]] as const),
      ]}
    />
    <Select
      name="actor"
      label="Changed by"
      value={actor ?? ''}
      choices={[
        ['', 'Anyone'],
        ...TRIGGER_LOG_ACTORS.map((name) => [name, ACTOR_TEXTS[name]] as const),
      ]}
    />
    <button class="quiet">Filter</button>
  </form>
)

const Changes = ({ page: { entries }, filter }: { page: TriggerLogPage; filter: Filter }) => {
  const { page_number: number, ...rest } = filter
  const isFiltered = Object.values(rest).some((value) => value !== undefined)
  return (
    <>
      {entries.length === 0 ? (
        <p class="card">{isFiltered ? 'No changes match these filters.' : 'No changes yet.'}</p>
      ) : (
        <ol class="rows changes">
          {entries.map((entry) => (
            <ChangeItem entry={entry} />
          ))}
        </ol>
      )}
      <p class="note">
        {(isFiltered || number > 0) && <a href={AUDIT_LOG_PATH}>Show all changes</a>}{' '}
        {entries.length === ENTRIES_SHOWN && (
          <a href={pathOf({ ...filter, page_number: number + 1 })} rel="next">
            Older changes
          </a>
        )}
      </p>
    </>
  )
}
