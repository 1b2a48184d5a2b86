import type { FC } from 'hono/jsx'
import {
  CONCURRENCY_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_RUNS_PER_MINUTE_BOUND,
  SCHEDULE_CONCURRENCY,
  WEBHOOK_CONCURRENCY,
} from '../../../../shared/limits.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Select } from '../../../browser/components/text-area-and-select.tsx'
import { Field } from '../../../browser/components/elements.tsx'
import type { TriggerFormFields } from './trigger-form-fields.ts'
import type { Problems } from './problems.ts'

type Props = { kind: TriggerKind; fields: TriggerFormFields; problems: Problems }

export const OptionFields: FC<Props> = ({ kind, fields, problems }) => {
  const defaultConcurrency = kind === 'schedule' ? SCHEDULE_CONCURRENCY : WEBHOOK_CONCURRENCY
  const isWrong = OPTION_FIELDS.some((name) => problems[name] !== undefined)
  return (
    <details class="card" {...(isWrong && { open: true })}>
      <summary>Limits and options</summary>
      <Field
        name="max_runs_per_minute"
        label="Runs per minute"
        hint={`1 to ${MAX_RUNS_PER_MINUTE_BOUND.toLocaleString('en-US')}. Additional runs wait in the queue.`}
        type="text"
        inputmode="numeric"
        value={fields.max_runs_per_minute}
        error={problems.max_runs_per_minute}
      />
      <Field
        name="max_queued_runs"
        label="Queued runs"
        hint={`1 to ${MAX_QUEUED_RUNS_BOUND.toLocaleString('en-US')}. Webhooks beyond this limit get a 429 response.`}
        type="text"
        inputmode="numeric"
        value={fields.max_queued_runs}
        error={problems.max_queued_runs}
      />
      <Field
        name="concurrency"
        label="Concurrent runs"
        hint={`1 to ${CONCURRENCY_MAX}. Default: ${defaultConcurrency}.`}
        type="text"
        inputmode="numeric"
        value={fields.concurrency}
        error={problems.concurrency}
      />
      {kind === 'schedule' && (
        <Select
          name="misfire"
          label="Missed ticks"
          hint="While the service was unavailable."
          value={fields.misfire}
          choices={[
            ['', 'Default: one run for all of them'],
            ['coalesce', 'One run for all of them'],
            ['skip', 'No run'],
            ['all', 'One run for each'],
          ]}
          error={problems.misfire}
        />
      )}
      <Select
        name="on_lost"
        label="Lost runs"
        hint="When the connection breaks during a run. The action may already have taken effect."
        value={fields.on_lost}
        choices={[
          ['', 'Default: fail'],
          ['fail', 'Fail'],
          ['retry', 'Retry'],
        ]}
        error={problems.on_lost}
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
