import { withoutUndefined } from '../../../shared/json/without-undefined.ts'
import {
  type ErrorGroup,
  type FailedRun,
  failedRunsQuery,
} from '../../../shared/wire/failed-runs.ts'
import type { ReplayRecord } from '../../../shared/wire/replays.ts'
import { Badge, Time } from '../../browser/components/elements.tsx'
import { UserText } from '../../browser/components/user-text.tsx'
import type { App } from '../../http/app-env.ts'
import { listFailedRuns } from '../../replays/list-failed-runs.ts'
import { toErrorGroup, toReplayRecord } from '../../replays/records.ts'
import { renderPage } from '../layout/render-page.tsx'
import { requirePageSession } from '../requests/session-form.ts'
import { FAILED_RUNS_STYLE } from './failed-runs-style.ts'

const RUNS_SHOWN = 50
const GROUPS_SHOWN = 20
const REPLAYS_SHOWN = 5

/** With `?fingerprint=`, the page shows only the runs of one error group. */
export function registerFailedRunsPage(app: App): void {
  app.get('/failed-runs', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const { id } = session.user
    const read = failedRunsQuery.safeParse(
      withoutUndefined({ fingerprint: c.req.query('fingerprint') }),
    )
    const fingerprint = read.data?.fingerprint
    const reports = c.env.USER_REPORTS.getByName(id)
    const [{ runs }, { groups }, { replays }] = await Promise.all([
      listFailedRuns(c.env, id, { fingerprint }, { limit: RUNS_SHOWN }),
      reports.errorGroups({}, { limit: GROUPS_SHOWN }),
      reports.replays({ limit: REPLAYS_SHOWN }),
    ])
    const shown = groups.map(toErrorGroup).filter((group) => {
      return fingerprint === undefined || group.fingerprint === fingerprint
    })
    return renderPage(
      c,
      { title: 'Failed runs', style: FAILED_RUNS_STYLE, wide: true },
      <>
        {runs.length === 0 && <p class="card">No failed runs in the last 30 days.</p>}
        {shown.length > 0 && <ErrorGroups groups={shown} />}
        {fingerprint !== undefined && (
          <p>
            <a href="/failed-runs">Show all errors</a>
          </p>
        )}
        {runs.length > 0 && <RunSelection runs={runs} />}
        {replays.length > 0 && <Replays replays={replays.map(toReplayRecord)} />}
      </>,
    )
  })
}

const ErrorGroups = ({ groups }: { groups: readonly ErrorGroup[] }) => (
  <section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <ul class="rows">
      {groups.map(({ fingerprint, count, replayed, example, trigger_ids, ...times }) => (
        <li>
          <div>
            <h3>
              <UserText text={example.message} max={200} />
            </h3>
            <p class="note">
              {plural(count, 'run')} of {plural(trigger_ids.length, 'trigger')}, {replayed}{' '}
              replayed. <Time at={Date.parse(times.first_failed_at)} /> to{' '}
              <Time at={Date.parse(times.last_failed_at)} />
            </p>
          </div>
          <div class="actions">
            <a class="button quiet" href={`/failed-runs?fingerprint=${fingerprint}`}>
              Show runs
            </a>
            <a class="button" href={`/failed-runs/replay?fingerprint=${fingerprint}`}>
              Replay all of this error…
            </a>
          </div>
        </li>
      ))}
    </ul>
  </section>
)

/** The form leads to a preview, which changes nothing, so it needs no CSRF token. */
const RunSelection = ({ runs }: { runs: readonly FailedRun[] }) => (
  <form method="get" action="/failed-runs/replay" aria-labelledby="latest">
    <h2 id="latest">Latest failures</h2>
    <ul class="rows failed">
      {runs.map(({ id, message, failed_at, replay }) => (
        <li>
          <div>
            <label>
              <input type="checkbox" name="run_ids" value={id} />{' '}
              <UserText text={message} max={200} />
            </label>
            <p class="note">
              <Time at={Date.parse(failed_at)} />
              {replay && (
                <>
                  {' '}
                  <Badge>{`replayed${replay.status === null ? '' : `: ${replay.status}`}`}</Badge>
                </>
              )}
            </p>
          </div>
          <a href={`/runs/${id}`}>Show run</a>
        </li>
      ))}
    </ul>
    <p class="actions">
      <button>Replay selected runs…</button>
    </p>
  </form>
)

const Replays = ({ replays }: { replays: readonly ReplayRecord[] }) => (
  <section aria-labelledby="replays">
    <h2 id="replays">Bulk replays</h2>
    <ul class="rows">
      {replays.map(({ id, status, created_at, replayed, selected }) => (
        <li>
          <a href={`/replays/${id}`}>
            <Time at={Date.parse(created_at)} />
          </a>
          <p>
            {status}: {replayed} of {plural(selected, 'run')} replayed
          </p>
        </li>
      ))}
    </ul>
  </section>
)

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
