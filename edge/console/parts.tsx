/** Components that the pages share. */
import type { Child, FC, JSX } from 'hono/jsx'
import { type About, Described, tied } from './described-field.tsx'

type FieldProps = About &
  Omit<JSX.IntrinsicElements['input'], 'class' | 'name'> & { class?: string }

/** Single-line text field. If the page is shown again because of an error in the field, the field is focused. */
export const Field: FC<FieldProps> = ({ name, label, hint, error, ...input }) => (
  <Described {...{ name, label, hint, error }}>
    <input {...input} {...tied({ name, label, hint, error })} />
  </Described>
)

/** Radio button. Group related radio buttons in a `<fieldset>` with a `<legend>`. */
export const Choice: FC<{
  name: string
  value: string
  checked?: boolean
  children?: Child
}> = ({ name, value, checked, children }) => (
  <label class="choice">
    <input type="radio" name={name} value={value} checked={checked ?? false} />
    <span>{children}</span>
  </label>
)

/** Badge that shows a state as text. The colour only emphasizes the text. */
export const Badge: FC<{ tone?: 'good' | 'bad'; children?: Child }> = ({ tone, children }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

/** List of names and values. */
export const Facts: FC<{ facts: [name: string, value: Child][] }> = ({ facts }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

/**
 * Shows a time in UTC, because the reader's time zone is unknown without a script.
 * @param at time in Unix milliseconds
 */
export const Time: FC<{ at: number }> = ({ at }) => (
  <time datetime={new Date(at).toISOString()}>{FORMAT.format(at)} UTC</time>
)

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
