import type { Child, FC, JSX } from 'hono/jsx'
import { type FieldTexts, LabeledField, fieldAttributes } from './labeled-field.tsx'

type FieldProps = FieldTexts &
  Omit<JSX.IntrinsicElements['input'], 'class' | 'name'> & { class?: string }

/** Focused if the page is shown again because of an error in the field. */
export const Field: FC<FieldProps> = ({ name, label, hint, error, ...input }) => (
  <LabeledField {...{ name, label, hint, error }}>
    <input {...input} {...fieldAttributes({ name, label, hint, error })} />
  </LabeledField>
)

/** Group related radio buttons in a `<fieldset>` with a `<legend>`. */
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

/** The colour only emphasizes the text. */
export const Badge: FC<{ tone?: 'good' | 'bad'; children?: Child }> = ({ tone, children }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

export const FactList: FC<{ facts: [name: string, value: Child][] }> = ({ facts }) => (
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
 * UTC, because the reader's time zone is unknown without a script.
 * @param at Unix milliseconds
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
