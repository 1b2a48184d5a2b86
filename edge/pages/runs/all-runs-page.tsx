import type { Context } from 'hono'
import type { ListedRun } from '../../../shared/wire/all-runs.ts'
import { RUN_STATUSES } from '../../../shared/wire/trigger.ts'
import { Badge, Cell, ListTable } from '../../browser/components/elements.tsx'
import { Field } from '../../browser/components/form-fields.tsx'
import { escapeInvisible, truncate, UserText } from '../../browser/components/user-text.tsx'
import { formatDuration, formatTime, relativeTime } from '../../browser/format/times.ts'
import { firstLine } from '../../browser/format/values.ts'
import { STATUS_NAMES, StatusBadge } from '../../browser/runs/run-status.tsx'
import { readAllRuns } from '../../http/all-runs-list.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { type NamedTrigger, newestTriggers } from '../../triggers/trigger-index.ts'
import { renderPage } from '../layout/render-page.tsx'
import { requirePageSession } from '../requests/session-form.ts'
import { ALL_RUNS_STYLE } from './all-runs-style.ts'
import { type EnteredFilter, FILTER_FIELDS, readAllRunsQuery } from './all-runs-query.ts'

const RUNS_SHOWN = 50
const TRIGGERS_OFFERED = 200

/** Runs of all triggers, newest first. The page shows no runs while the filter has a problem. */
export function registerAllRunsPage(app: App): void {
  app.get('/runs', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const { id } = session.user
    const query = readAllRunsQuery(c.req.url)
    const cursor = c.req.query('cursor')
    const isValid = Object.keys(query.problems).length === 0
    const [page, triggers] = await Promise.all([
      isValid
        ? readAllRuns(c, id, query.filter, { limit: RUNS_SHOWN, cursor })
        : { runs: [], next_cursor: null },
      newestTriggers(c.var.services.db, id, TRIGGERS_OFFERED),
    ])
    return renderPage(
      c,
      { title: 'Runs', style: ALL_RUNS_STYLE, wide: true },
      <>
        <FilterForm query={query} triggers={triggers} />
        {page.runs.length > 0 && <RunTable runs={page.runs} now={c.var.services.now()} />}
        {page.runs.length === 0 && isValid && (
          <NoRuns
            isFiltered={isFiltered(query)}
            isEnd={page.next_cursor === null}
            hasTriggers={triggers.length > 0}
          />
        )}
        <p class="actions">
          {page.next_cursor !== null && (
            <a class="button quiet" href={hrefOf(c, page.next_cursor)} rel="next">
              Older runs
            </a>
          )}
          {cursor !== undefined && <a href={hrefOf(c)}>Back to the latest runs</a>}
        </p>
        <p class="note">Runs appear here up to 15 seconds after they were queued.</p>
      </>,
    )
  })
}

const isFiltered = ({ entered }: EnteredFilter) =>
  FILTER_FIELDS.some((name) => entered[name] !== '')

function hrefOf(c: Context<AppEnv>, cursor?: string): string {
  const query = new URLSearchParams()
  for (const name of FILTER_FIELDS) {
    const value = c.req.query(name)
    if (value) query.set(name, value)
  }
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.size > 0 ? `/runs?${query.toString()}` : '/runs'
}

type FilterFormProps = { query: EnteredFilter; triggers: readonly NamedTrigger[] }

const FilterForm = ({ query, triggers }: FilterFormProps) => {
  const { entered, problems } = query
  const isDetailed = FILTER_FIELDS.slice(2).some((name) => entered[name] !== '')
  return (
    <form method="get" action="/runs" class="find" aria-label="Filter runs">
      <div class="first">
        <p>
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">Any status</option>
            {RUN_STATUSES.map((status) => (
              <option value={status} selected={entered.status === status}>
                {STATUS_NAMES[status]}
              </option>
            ))}
          </select>
        </p>
        <p>
          <label for="trigger">Trigger</label>
          <TriggerSelect chosen={entered.trigger} triggers={triggers} />
        </p>
        <button>Show</button>
      </div>
      <details open={isDetailed}>
        <summary>Search</summary>
        <div class="more">
          <Field
            name="since"
            label="From (UTC)"
            type="datetime-local"
            value={entered.since}
            error={problems.since}
          />
          <Field
            name="until"
            label="Before (UTC)"
            type="datetime-local"
            value={entered.until}
            error={problems.until}
          />
          <Field
            name="error"
            label="Error"
            hint="Part of the error of a failed run."
            value={entered.error}
            error={problems.error}
          />
          <Field
            name="param"
            label="Param"
            hint="Such as event.customer.id=42."
            value={entered.param}
            error={problems.param}
          />
          <Field
            name="header"
            label="Header"
            hint="Such as x-github-event:push."
            value={entered.header}
            error={problems.header}
          />
        </div>
        {isFiltered(query) && <a href="/runs">Clear the filter</a>}
      </details>
    </form>
  )
}

const TriggerSelect = ({
  chosen,
  triggers,
}: {
  chosen: string
  triggers: readonly NamedTrigger[]
}) => (
  <select id="trigger" name="trigger">
    <option value="">All triggers</option>
    {chosen !== '' && triggers.every(({ id }) => id !== chosen) && (
      <option value={chosen} selected>
        {chosen}
      </option>
    )}
    {triggers.map(({ id, name }) => (
      <option value={id} selected={id === chosen}>
        {escapeInvisible(truncate(name, 60))}
      </option>
    ))}
  </select>
)

/** The form leads to a preview, which changes nothing, so it needs no CSRF token. */
const RunTable = ({ runs, now }: { runs: readonly ListedRun[]; now: number }) => (
  <form method="get" action="/failed-runs/replay" aria-label="Select runs">
    <input type="hidden" name="from" value="runs" />
    <ListTable label="Runs" columns={['Run', 'Status', 'Trigger', 'Duration']}>
      {runs.map((run) => (
        <RunRow run={run} now={now} />
      ))}
    </ListTable>
    <p class="actions">
      <button class="quiet">Replay selected runs…</button>
    </p>
  </form>
)

const RunRow = ({ run, now }: { run: ListedRun; now: number }) => {
  const queuedAt = Date.parse(run.queued_at)
  return (
    <tr>
      <th scope="row">
        <label class="pick">
          <input type="checkbox" name="run_ids" value={run.id} />
          <span class="unseen">Select the run of {formatTime(queuedAt)}</span>
        </label>
        <a href={`/runs/${run.id}`}>
          <time datetime={run.queued_at}>{formatTime(queuedAt)}</time>
        </a>{' '}
        <span class="note">{relativeTime(queuedAt, now)}</span>
        {run.summary !== null && (
          <p class="note said">
            <UserText text={firstLine(run.summary)} max={200} />
          </p>
        )}
      </th>
      <Cell of="Status">
        <StatusBadge status={run.status} />
        {run.test && (
          <>
            {' '}
            <Badge>Test</Badge>
          </>
        )}
        {run.replay && (
          <>
            {' '}
            <Badge>Replay</Badge>
          </>
        )}
        {run.reorged && (
          <>
            {' '}
            <Badge tone="bad">Reorged</Badge>
          </>
        )}
      </Cell>
      <Cell of="Trigger">
        <a href={`/triggers/${run.trigger_id}`}>
          <UserText text={run.trigger_name ?? 'Deleted trigger'} max={60} />
        </a>
      </Cell>
      <Cell of="Duration">{durationOf(run)}</Cell>
    </tr>
  )
}

function durationOf({ started_at, finished_at }: ListedRun): string {
  if (started_at === null || finished_at === null) return '–'
  return formatDuration(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)))
}

type NoRunsProps = { isFiltered: boolean; isEnd: boolean; hasTriggers: boolean }

const NoRuns = ({ isFiltered: filtered, isEnd, hasTriggers }: NoRunsProps) => {
  if (!isEnd)
    return <p class="card">None of the runs that were searched match. Older runs may match.</p>
  if (filtered)
    return (
      <p class="card">
        No runs match. <a href="/runs">Show all runs</a>
      </p>
    )
  return (
    <section class="card">
      <h2>No runs yet</h2>
      <p>A run appears here when a trigger fires, or when you test a trigger.</p>
      <p class="actions">
        {hasTriggers ? (
          <a class="button" href="/triggers">
            Show the triggers
          </a>
        ) : (
          <a class="button" href="/triggers/new">
            New trigger
          </a>
        )}
      </p>
    </section>
  )
}
