/** What pages are made of, beside the browser's own elements: each with its names for screen readers in place. */
import type { Child, FC, JSX } from 'hono/jsx'
import { type About, Described, tied } from './described-field.tsx'

type FieldProps = About &
  Omit<JSX.IntrinsicElements['input'], 'class' | 'name'> & { class?: string }

/** One line to fill in. Where the page comes back with what is wrong with it, the cursor is there. */
export const Field: FC<FieldProps> = ({ name, label, hint, error, ...input }) => (
  <Described {...{ name, label, hint, error }}>
    <input {...input} {...tied({ name, label, hint, error })} />
  </Described>
)

/** One of several that exclude each other; several stand in a `<fieldset>` with a `<legend>`. */
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

/** A state in a word; the colour only repeats what the word says. */
export const Badge: FC<{ tone?: 'good' | 'bad'; children?: Child }> = ({ tone, children }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

/** Names and values, in order. */
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

/** @param at Unix milliseconds. In UTC: without a script nobody knows where the reader is. */
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
