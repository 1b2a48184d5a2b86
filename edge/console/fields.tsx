/** Fields of more than a line, and of a choice; `Field` of `parts.tsx` has one line. */
import type { Child, FC, JSX } from 'hono/jsx'

type About = {
  /** Its id too: one on a page. */
  name: string
  label: string
  hint?: Child
  /** Why what was entered cannot be taken. */
  error?: string | undefined
}

/** What is said of a field, and the attributes that tie it to that. */
function tied({ name, hint, error }: About) {
  const about = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(about !== '' && { 'aria-describedby': about }),
    ...(error && { 'aria-invalid': 'true' as const, autofocus: true }),
  }
}

const Described: FC<About & { children?: Child }> = ({ name, label, hint, error, children }) => (
  <div class="field">
    <label for={name}>{label}</label>
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    {children}
    {error && (
      <p class="error" id={`${name}-error`} role="alert">
        {error}
      </p>
    )}
  </div>
)

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
