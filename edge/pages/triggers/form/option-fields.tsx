import type { FC } from 'hono/jsx'
import {
  CONCURRENCY_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_RUNS_PER_MINUTE_BOUND,
  SCHEDULE_CONCURRENCY,
  WEBHOOK_CONCURRENCY,
} from '../../../../shared/limits.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Select, Field } from '../../../browser/components/form-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'

export const OptionFields: FC<FormValues & { kind: TriggerKind }> = ({ kind, ...values }) => {
  const defaultConcurrency = kind === 'schedule' ? SCHEDULE_CONCURRENCY : WEBHOOK_CONCURRENCY
  const isWrong = OPTION_FIELDS.some((name) => values.problems[name] !== undefined)
  return (
    <details class="card" {...(isWrong && { open: true })}>
      <summary>Limits and options</summary>
      <Field
        label="Runs per minute"
        hint={`1 to ${MAX_RUNS_PER_MINUTE_BOUND.toLocaleString('en-US')}. Additional runs wait in the queue.`}
        inputmode="numeric"
        {...controlProps(values, 'max_runs_per_minute')}
      />
      <Field
        label="Queued runs"
        hint={`1 to ${MAX_QUEUED_RUNS_BOUND.toLocaleString('en-US')}. Webhooks beyond this limit get a 429 response.`}
        inputmode="numeric"
        {...controlProps(values, 'max_queued_runs')}
      />
      <Field
        label="Concurrent runs"
        hint={`1 to ${CONCURRENCY_MAX}. Default: ${defaultConcurrency}.`}
        inputmode="numeric"
        {...controlProps(values, 'concurrency')}
      />
      {kind === 'schedule' && (
        <Select
          label="Missed ticks"
          hint="While the service was unavailable."
          choices={[
            ['', 'Default: one run for all of them'],
            ['coalesce', 'One run for all of them'],
            ['skip', 'No run'],
            ['all', 'One run for each'],
          ]}
          {...controlProps(values, 'misfire')}
        />
      )}
      <Select
        label="Lost runs"
        hint="When the connection breaks during a run. The action may already have taken effect."
        choices={[
          ['', 'Default: fail'],
          ['fail', 'Fail'],
          ['retry', 'Retry'],
        ]}
        {...controlProps(values, 'on_lost')}
      />
    </details>
  )
}

const OPTION_FIELDS = [
  'max_runs_per_minute',
  'max_queued_runs',
  'concurrency',
  'misfire',
  'on_lost',
] as const
