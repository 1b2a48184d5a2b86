import type { Child, FC } from 'hono/jsx'
import type { RunView } from './run-view.ts'
import { Moment, STATUS_NAMES, WAIT_TEXTS } from './run-status.tsx'
import { formatDuration } from '../format/times.ts'

export const Timeline: FC<{ run: RunView; now: number }> = ({ run, now }) => {
  const parse = (time: string | null) => (time === null ? null : Date.parse(time))
  const queued = Date.parse(run.queued_at)
  const [started, finished] = [parse(run.started_at), parse(run.finished_at)]
  const next = parse(run.next_attempt_at)
  return (
    <ol class="course">
      <Step name="Queued" at={queued} now={now} />
      {started !== null && (
        <Step name="Started" at={started} now={now}>
          after {formatDuration(Math.max(0, started - queued))} in the queue
        </Step>
      )}
      {run.attempt > 1 && <li>{run.attempt} attempts</li>}
      {finished === null && run.status === 'queued' && (
        <li>
          {run.waiting_for ? WAIT_TEXTS[run.waiting_for].what : 'Waiting in the queue'}
          {next !== null && (
            <>
              ; next attempt <Moment at={next} now={now} />
            </>
          )}
        </li>
      )}
      {finished === null && run.status === 'running' && <li>Running</li>}
      {finished !== null && (
        <Step name={STATUS_NAMES[run.status]} at={finished} now={now}>
          {started === null
            ? 'never started'
            : `${formatDuration(Math.max(0, finished - started))} after the start`}
        </Step>
      )}
    </ol>
  )
}

const Step: FC<{ name: string; at: number; now: number; children?: Child }> = ({
  name,
  at,
  now,
  children,
}) => (
  <li>
    <strong>{name}</strong> <Moment at={at} now={now} />
    {children && <span class="ago">, {children}</span>}
  </li>
)
