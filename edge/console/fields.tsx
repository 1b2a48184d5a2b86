/** Fields of more than a line, and of a choice; `Field` of `parts.tsx` has one line. */
import type { FC, JSX } from 'hono/jsx'
import { type About, Described, tied } from './described-field.tsx'

type AreaProps = About &
  Omit<JSX.IntrinsicElements['textarea'], 'class' | 'name' | 'value'> & { value: string }

/** Text of several lines. The first line end is the markup's own: a browser drops it. */
export const Area: FC<AreaProps> = ({ name, label, hint, error, value, ...area }) => (
  <Described {...{ name, label, hint, error }}>
    <textarea spellcheck={false} {...area} {...tied({ name, label, hint, error })}>
      {`\n${value}`}
    </textarea>
  </Described>
)

type SelectProps = About &
  Omit<JSX.IntrinsicElements['select'], 'class' | 'name' | 'value'> & {
    /** The value that is chosen; the first where it is none of them. */
    value: string
    choices: readonly (readonly [value: string, text: string])[]
  }

export const Select: FC<SelectProps> = ({
  name,
  label,
  hint,
  error,
  value,
  choices,
  ...select
}) => (
  <Described {...{ name, label, hint, error }}>
    <select {...select} {...tied({ name, label, hint, error })}>
      {choices.map(([choice, text]) => (
        <option value={choice} {...(choice === value && { selected: true })}>
          {text}
        </option>
      ))}
    </select>
  </Described>
)
