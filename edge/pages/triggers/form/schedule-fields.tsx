import type { FC } from 'hono/jsx'
import { Field } from '../../../browser/components/form-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'

export const ScheduleFields: FC<FormValues> = (values) => (
  <>
    <Field
      label="Cron expression"
      hint="Minute, hour, day, month, weekday, optionally preceded by seconds. At least 30 s apart. 0 9 * * 1-5 means Monday to Friday at 09:00."
      maxlength={256}
      spellcheck={false}
      {...controlProps(values, 'cron')}
    />
    <Field
      label="Time zone"
      hint="IANA name, such as Europe/Berlin. Leave empty for UTC."
      maxlength={64}
      spellcheck={false}
      {...controlProps(values, 'timezone')}
    />
    <details {...(hasBounds(values) && { open: true })}>
      <summary>Start, end, jitter, or a single run</summary>
      <Field
        label="Starts at"
        hint="No tick is before this time, such as 2026-12-24T18:00:00+01:00. Optional."
        maxlength={40}
        spellcheck={false}
        {...controlProps(values, 'starts_at')}
      />
      <Field
        label="Ends at"
        hint="No tick is after this time. Optional."
        maxlength={40}
        spellcheck={false}
        {...controlProps(values, 'ends_at')}
      />
      <Field
        label="Jitter in seconds"
        hint="Delays each tick by up to this time, to spread load. Less than the interval of the schedule. Optional."
        inputmode="numeric"
        maxlength={15}
        {...controlProps(values, 'jitter_s')}
      />
      <Field
        label="Run once at"
        hint="Instead of all fields above: the time of a single run, such as 2026-12-24T18:00:00+01:00."
        maxlength={40}
        spellcheck={false}
        {...controlProps(values, 'at')}
      />
    </details>
  </>
)

function hasBounds({ fields, problems }: FormValues): boolean {
  const inside = ['starts_at', 'ends_at', 'jitter_s', 'at'] as const
  return inside.some((name) => fields[name] !== '' || problems[name] !== undefined)
}
