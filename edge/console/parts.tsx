/** Components that pages share, with their accessible names built in. */
import type { Child, FC, JSX } from 'hono/jsx'
import { type About, Described, tied } from './described-field.tsx'

type FieldProps = About &
  Omit<JSX.IntrinsicElements['input'], 'class' | 'name'> & { class?: string }

/** Single-line text field. It is focused if the page is shown again because of an error in it. */
export const Field: FC<FieldProps> = ({ name, label, hint, error, ...input }) => (
  <Described {...{ name, label, hint, error }}>
    <input {...input} {...tied({ name, label, hint, error })} />
  </Described>
)

/** Radio button. Put related ones into a `<fieldset>` with a `<legend>`. */
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

/** Shows a state as a word. The colour only repeats the meaning of the word. */
export const Badge: FC<{ tone?: 'good' | 'bad'; children?: Child }> = ({ tone, children }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

/** Ordered list of names and values. */
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

/** @param at Unix milliseconds. Shown in UTC, because the reader's time zone is unknown without a script. */
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
