/** Form fields for limits and options that are rarely changed. */
import type { FC } from 'hono/jsx'
import {
  CONCURRENCY_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_RUNS_PER_MINUTE_BOUND,
  SCHEDULE_CONCURRENCY,
  WEBHOOK_CONCURRENCY,
} from '../../../../shared/limits.ts'
import { Select } from '../../../console/fields.tsx'
import { Field } from '../../../console/parts.tsx'
import type { FormState } from './form.tsx'

export const MoreFields: FC<FormState> = ({ kind, fields, problems }) => {
  const usual = kind === 'schedule' ? SCHEDULE_CONCURRENCY : WEBHOOK_CONCURRENCY
  const isWrong = INSIDE.some((name) => problems[name] !== undefined)
  return (
    <details class="card" {...(isWrong && { open: true })}>
      <summary>More: limits and options</summary>
      <Field
        name="max_runs_per_minute"
        label="Runs that start in a minute"
        hint={`1 to ${MAX_RUNS_PER_MINUTE_BOUND.toLocaleString('en-US')}. More wait in the queue.`}
        type="text"
        inputmode="numeric"
        value={fields.max_runs_per_minute}
        error={problems.max_runs_per_minute}
      />
      <Field
        name="max_queued_runs"
        label="Runs that wait"
        hint={`1 to ${MAX_QUEUED_RUNS_BOUND.toLocaleString('en-US')}. A webhook beyond them is answered 429.`}
        type="text"
        inputmode="numeric"
        value={fields.max_queued_runs}
        error={problems.max_queued_runs}
      />
      <Field
        name="concurrency"
        label="Runs at once"
        hint={`1 to ${CONCURRENCY_MAX}. Empty: ${usual}.`}
        type="text"
        inputmode="numeric"
        value={fields.concurrency}
        error={problems.concurrency}
      />
      {kind === 'schedule' && (
        <Select
          name="misfire"
          label="Ticks that were missed"
          hint="While this service was away."
          value={fields.misfire}
          choices={[
            ['', 'As is usual: one run for all of them'],
            ['coalesce', 'One run for all of them'],
            ['skip', 'None'],
            ['all', 'A run for each'],
          ]}
          error={problems.misfire}
        />
      )}
      <Select
        name="on_lost"
        label="A run that was lost half-way"
        hint="Its action may have had its effect already."
        value={fields.on_lost}
        choices={[
          ['', 'As is usual: it fails'],
          ['fail', 'It fails'],
          ['retry', 'It is run again'],
        ]}
        error={problems.on_lost}
      />
    </details>
  )
}

const INSIDE = [
  'max_runs_per_minute',
  'max_queued_runs',
  'concurrency',
  'misfire',
  'on_lost',
] as const
