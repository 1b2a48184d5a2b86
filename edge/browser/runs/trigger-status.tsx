/** Status of a trigger. The Worker renders it, and the page's script renders it again to keep the page up to date. */
import type { FC } from 'hono/jsx'
import type { TriggerKind, TriggerStats } from '../../../shared/wire/trigger.ts'
import type { TriggerSnapshot } from '../../queue/trigger-snapshot.ts'
import { Badge } from '../components/elements.tsx'
import { KindLabel } from '../components/trigger-kind.tsx'
import { escapeInvisible, UserText } from '../components/user-text.tsx'
import { firstLine } from '../format/values.ts'
import { Moment, WAIT_TEXTS } from './run-status.tsx'
import { formatDurationOr, relativeTime } from '../format/times.ts'

type TriggerStatusData = Pick<
  TriggerSnapshot,
  'enabled' | 'disabledReason' | 'waitingFor' | 'nextTickAt' | 'lastFailure'
>

type TriggerStatusProps = {
  id: string
  kind: TriggerKind
  state: TriggerStatusData
  now: number
}

/** The line of the last failure is always present, so that a failure does not shift the layout. */
export const TriggerStatus: FC<TriggerStatusProps> = ({ id, kind, state, now }) => {
  const { enabled, disabledReason, waitingFor, nextTickAt, lastFailure } = state
  return (
    <>
      <p class="state">
        <KindLabel kind={kind} />
        {enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Paused</Badge>}
        {nextTickAt !== null && enabled && (
          <span>
            Next tick: <Moment at={nextTickAt} now={now} />
          </span>
        )}
      </p>
      <p class={lastFailure?.isLatest ? 'last bad' : 'last'}>
        {lastFailure ? (
          <>
            <a href={`/runs/${id}${lastFailure.suffix}`}>
              {lastFailure.isLatest ? 'Last run failed' : 'Last failure'}
            </a>{' '}
            {relativeTime(lastFailure.finishedAt, now)}:{' '}
            <bdi>{escapeInvisible(firstLine(lastFailure.text ?? ''))}</bdi>
          </>
        ) : (
          'No failed runs'
        )}
      </p>
      {disabledReason !== null && (
        <div class="problem">
          <p>
            <strong>The service paused this trigger.</strong> Resume it after fixing the cause.
          </p>
          <p>
            <UserText text={disabledReason} max={1_000} />
          </p>
        </div>
      )}
      {waitingFor !== null && (
        <div class="warn">
          <p>
            <strong>{WAIT_TEXTS[waitingFor].what}.</strong> {WAIT_TEXTS[waitingFor].fix}
          </p>
        </div>
      )}
    </>
  )
}

export const TriggerStatsList = ({ stats, kind }: { stats: TriggerStats; kind: TriggerKind }) => (
  <dl class="numbers">
    <StatsItem name="Succeeded" value={String(stats.ok)} />
    <StatsItem name="Failed" value={String(stats.failed)} />
    {kind === 'schedule' && <StatsItem name="Ticks without a run" value={String(stats.skipped)} />}
    <StatsItem name="Median" value={formatDurationOr('no runs', stats.p50_ms)} />
    <StatsItem name="p95" value={formatDurationOr('no runs', stats.p95_ms)} />
    <StatsItem name="Queued" value={String(stats.queued)} />
    <StatsItem name="Running" value={String(stats.running)} />
  </dl>
)

const StatsItem: FC<{ name: string; value: string }> = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
