import type { FC } from 'hono/jsx'
import { RUN_STATUSES, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Field } from '../../../browser/components/form-fields.tsx'
import { RunList } from '../../../browser/runs/run-list.tsx'
import { STATUS_NAMES } from '../../../browser/runs/run-status.tsx'
import {
  CHART_RANGES,
  type TriggerSnapshot,
  type RunChart,
} from '../../../queue/trigger-snapshot.ts'
import type { RunQuery } from './run-query.ts'
import { formatChartTime, formatDurationOr } from '../../../browser/format/times.ts'

type RunSectionProps = {
  id: string
  kind: TriggerKind
  glance: TriggerSnapshot
  query: RunQuery
  now: number
}

function triggerHref(id: string, chosen: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(chosen)) if (value) query.set(name, value)
  return query.size === 0 ? `/triggers/${id}` : `/triggers/${id}?${query.toString()}`
}

export const RunSection: FC<RunSectionProps> = ({
  id,
  kind,
  glance: { lines, next },
  query,
  now,
}) => {
  const { status, cursor, range, search, problems } = query
  const chosen = { status, range, ...search }
  const isSearch = Object.values(search).some((text) => text !== '')
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Runs</h2>
      <nav aria-label="Filter runs by status">
        <ul class="choose">
          {([undefined, ...RUN_STATUSES] as const).map((choice) => (
            <li>
              <a
                href={triggerHref(id, { ...chosen, status: choice })}
                {...(choice === status && { 'aria-current': 'true' as const })}
              >
                {choice ? STATUS_NAMES[choice] : 'All'}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <details class="search" open={isSearch}>
        <summary>Search</summary>
        <form method="get" action={`/triggers/${id}`}>
          {status && <input type="hidden" name="status" value={status} />}
          {range && <input type="hidden" name="range" value={range} />}
          <Field
            name="error"
            label="Error"
            hint="Part of the error of a failed run."
            value={search.error}
            error={problems.error}
          />
          {kind === 'webhook' && (
            <Field
              name="header"
              label="Header"
              hint="Such as x-github-event:push."
              value={search.header}
              error={problems.header}
            />
          )}
          <Field
            name="param"
            label="Param"
            hint="Path and value, such as event.customer.id=42."
            value={search.param}
            error={problems.param}
          />
          <button type="submit">Search</button>
        </form>
      </details>
      <details id="output" class="output">
        <summary>Live output</summary>
        <noscript>
          <p>Live output needs JavaScript. Each run’s page shows its logs.</p>
        </noscript>
        <p role="status">Console output of new runs, and of runs in progress, appears here.</p>
        <div class="long" role="log" tabindex={0} aria-label="Live output">
          <ol class="logs" />
        </div>
      </details>
      <div id="live" class="live">
        {cursor === undefined && !isSearch ? (
          <>
            <button type="button" class="quiet" hidden>
              Pause updates
            </button>
            <button type="button" hidden />
            <noscript>
              <a href={triggerHref(id, chosen)}>Reload to see new runs</a>
            </noscript>
          </>
        ) : (
          <a href={triggerHref(id, { status, range })}>Back to the latest runs</a>
        )}
      </div>
      <p id="no-runs" class="empty" hidden={lines.length > 0}>
        {noRunsText(query, isSearch, next)}
      </p>
      <div id="runs">
        <RunList triggerId={id} lines={lines} now={now} />
      </div>
      {next !== null && (
        <p>
          <a class="button" href={triggerHref(id, { ...chosen, cursor: next })}>
            Older runs
          </a>
        </p>
      )}
      <p id="heard" class="heard" role="status" />
    </section>
  )
}

function noRunsText({ status, cursor }: RunQuery, isSearch: boolean, next: string | null): string {
  if (isSearch)
    return next === null ? 'No runs match.' : 'None of the newest runs match. Older runs may match.'
  return status === undefined && cursor === undefined
    ? 'No runs yet. New runs appear here automatically; start one with a test.'
    : 'No runs with this status.'
}

const RANGE_NAMES = { '1h': 'Hour', '24h': 'Day', '7d': 'Week', '30d': 'Month' } as const

export const ChartSection: FC<RunSectionProps> = ({ id, glance: { chart }, query }) => (
  <section aria-labelledby="charts-title" class="card" id="charts">
    <h2 id="charts-title">History</h2>
    <nav aria-label="Time range">
      <ul class="choose">
        {(Object.keys(CHART_RANGES) as (keyof typeof CHART_RANGES)[]).map((range) => (
          <li>
            <a
              href={triggerHref(id, { status: query.status, ...query.search, range })}
              {...(range === chart?.range && { 'aria-current': 'true' as const })}
            >
              {RANGE_NAMES[range]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div class="charts">
      <figure>
        <figcaption>
          <span class="key good">Succeeded</span> <span class="key bad">Failed</span>
        </figcaption>
        <div class="chart" data-read-out="runs-read-out" />
        <p id="runs-read-out" class="read-out" aria-hidden="true" />
      </figure>
      <figure>
        <figcaption>
          <span class="key act">Median</span> <span class="key soft">p95</span>
        </figcaption>
        <div class="chart" data-read-out="durations-read-out" />
        <p id="durations-read-out" class="read-out" aria-hidden="true" />
      </figure>
    </div>
    <details>
      <summary>Show as a table</summary>
      {chart && <ChartTable chart={chart} />}
    </details>
  </section>
)

const ChartTable: FC<{ chart: RunChart }> = ({ chart }) => {
  const rows = chart.buckets.filter(({ ok, failed }) => ok + failed > 0)
  if (rows.length === 0) return <p class="note">No runs ended in this time range.</p>
  return (
    <table>
      <thead>
        <tr>
          {['From (UTC)', 'Succeeded', 'Failed', 'Median', 'p95'].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.toReversed().map(({ at, ok, failed, p50Ms, p95Ms }) => (
          <tr>
            <td>{formatChartTime(at)}</td>
            <td>{ok}</td>
            <td>{failed}</td>
            <td>{formatDurationOr('–', p50Ms)}</td>
            <td>{formatDurationOr('–', p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
