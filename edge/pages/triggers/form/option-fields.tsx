import type { FC } from 'hono/jsx'
import {
  CONCURRENCY_MAX,
  EXPRESSION_MAX_CHARACTERS,
  MAX_QUEUED_RUNS_BOUND,
  MAX_RUNS_PER_MINUTE_BOUND,
  SCHEDULE_CONCURRENCY,
  WEBHOOK_CONCURRENCY,
} from '../../../../shared/limits.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Field, Select, TextArea } from '../../../browser/components/form-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'

type OptionFieldsProps = FormValues & { kind: TriggerKind; isNew: boolean }

export const OptionFields: FC<OptionFieldsProps> = ({ kind, isNew, ...values }) => {
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
      <Field
        label="Filter"
        hint={`Condition in CEL, such as ${FILTERS[kind]}. Other events start no run.`}
        maxlength={EXPRESSION_MAX_CHARACTERS}
        spellcheck={false}
        {...controlProps(values, 'filter')}
      />
      {kind !== 'schedule' &&
        KEY_FIELDS.map(([name, label, hint]) => (
          <Field
            label={label}
            hint={hint}
            maxlength={EXPRESSION_MAX_CHARACTERS}
            spellcheck={false}
            {...controlProps(values, name)}
          />
        ))}
      <ExpressionBox hasSample={isNew && kind === 'webhook'} />
      {kind === 'webhook' &&
        COLLECT_FIELDS.map(([name, label, hint]) => (
          <Field label={label} hint={hint} spellcheck={false} {...controlProps(values, name)} />
        ))}
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

/** Has a fixed height, so that live results cause no layout shift. */
const ExpressionBox: FC<{ hasSample: boolean }> = ({ hasSample }) => (
  <>
    {hasSample && (
      <TextArea
        name="sample_event"
        label="Sample event"
        hint="Used to evaluate the expressions. Not saved. Default params are not added."
        rows={4}
        value={SAMPLE_EVENT}
        maxlength={SAMPLE_EVENT_MAX_CHARACTERS}
        // No form has this ID, so browsers do not submit the field.
        form="not-sent"
      />
    )}
    <div
      id="expression-check"
      class="check short"
      role="region"
      aria-label="Check of expressions"
      tabindex={0}
    >
      <div aria-live="polite">
        <p class="note">
          Expressions are checked while you type.
          <noscript> Without JavaScript, they are checked when you save.</noscript>
        </p>
      </div>
    </div>
  </>
)

const SAMPLE_EVENT = '{"hello": "world"}'
/** A character takes at most four bytes, and the body of a check is limited to 16 KiB. */
const SAMPLE_EVENT_MAX_CHARACTERS = 2_000

const KEY_FIELDS = [
  [
    'dedup_key',
    'Deduplication key',
    'Expression in CEL, such as event.id. Events with the same value within 24 hours start one run.',
  ],
  [
    'concurrency_key',
    'Concurrency key',
    'Expression in CEL, such as event.customer.id. Runs with the same value run one at a time.',
  ],
  [
    'order_key',
    'Order key',
    'Expression in CEL. Runs with the same value run one at a time, in order of arrival.',
  ],
] as const

const COLLECT_FIELDS = [
  [
    'debounce_ms',
    'Debounce (ms)',
    'Only the last event runs, once no further event has arrived for this time.',
  ],
  ['debounce_key', 'Debounce key', 'Expression in CEL. Each value is debounced separately.'],
  ['batch_events', 'Events per batch', 'Several events become one run, with params.events.'],
  ['batch_ms', 'Time per batch (ms)', 'A batch starts this long after its first event.'],
] as const

const FILTERS: Record<TriggerKind, string> = {
  webhook: 'event.action == "opened"',
  schedule: 'timestamp(scheduled_at).getDate() <= 7',
  chain_event: 'int(event.decoded.arg2) > 1000',
}

const OPTION_FIELDS = [
  'max_runs_per_minute',
  'max_queued_runs',
  'concurrency',
  'filter',
  'dedup_key',
  'concurrency_key',
  'order_key',
  'debounce_ms',
  'debounce_key',
  'batch_events',
  'batch_ms',
  'misfire',
  'on_lost',
] as const
