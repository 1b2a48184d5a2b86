/** Status of a trigger. The Worker renders it, and the page's script renders it again to keep the page up to date. */
import type { FC } from 'hono/jsx'
import type { TriggerKind, TriggerStats } from '../../../shared/wire/trigger.ts'
import type { TriggerSnapshot } from '../../queue/trigger-snapshot.ts'
import { Badge } from '../components/elements.tsx'
import { UserText } from '../components/user-text.tsx'
import { Moment, WAIT_TEXTS } from './run-status.tsx'
import { formatDurationOr } from '../format/times.ts'

type TriggerStatusData = Pick<
  TriggerSnapshot,
  'enabled' | 'disabledReason' | 'waitingFor' | 'nextTickAt'
>

export const TriggerStatus: FC<{ state: TriggerStatusData; now: number }> = ({ state, now }) => {
  const { enabled, disabledReason, waitingFor, nextTickAt } = state
  return (
    <>
      <p class="state">
        {enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Paused</Badge>}
        {nextTickAt !== null && enabled && (
          <span>
            Next tick: <Moment at={nextTickAt} now={now} />
          </span>
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
    <StatsItem name="95th percentile" value={formatDurationOr('no runs', stats.p95_ms)} />
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
