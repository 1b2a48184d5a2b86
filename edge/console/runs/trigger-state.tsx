/** Rendered by the Worker, and again by the script that keeps the page up to date. */
import type { FC } from 'hono/jsx'
import type { TriggerKind, TriggerStats } from '../../../shared/wire/trigger.ts'
import type { TriggerGlance } from '../../queue/trigger-glance.ts'
import { Badge } from '../parts.tsx'
import { UserText } from '../user-text.tsx'
import { Moment, WAITS } from './states.tsx'
import { duration } from './written.ts'

type State = Pick<TriggerGlance, 'enabled' | 'disabledReason' | 'waitingFor' | 'nextTickAt'>

export const TriggerState: FC<{ state: State; now: number }> = ({ state, now }) => {
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
            <strong>{WAITS[waitingFor].what}.</strong> {WAITS[waitingFor].fix}
          </p>
        </div>
      )}
    </>
  )
}

/** Statistics for the last 24 hours, and the current numbers of queued and running runs. */
export const Numbers: FC<{ stats: TriggerStats; kind: TriggerKind }> = ({ stats, kind }) => (
  <dl class="numbers">
    <Number name="Succeeded" value={String(stats.ok)} />
    <Number name="Failed" value={String(stats.failed)} />
    {kind === 'schedule' && <Number name="Ticks without a run" value={String(stats.skipped)} />}
    <Number name="Median" value={took(stats.p50_ms)} />
    <Number name="95th percentile" value={took(stats.p95_ms)} />
    <Number name="Queued" value={String(stats.queued)} />
    <Number name="Running" value={String(stats.running)} />
  </dl>
)

const Number: FC<{ name: string; value: string }> = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const took = (ms: number | null) => (ms === null ? 'no runs' : duration(ms))
