/** The field for a single line of text is `Field` in `parts.tsx`. */
import type { FC, JSX } from 'hono/jsx'
import { type FieldTexts, LabeledField, fieldAttributes } from './labeled-field.tsx'

type TextAreaProps = FieldTexts &
  Omit<JSX.IntrinsicElements['textarea'], 'class' | 'name' | 'value'> & { value: string }

/** Starts with an additional line break, because browsers ignore one at the start of a textarea. */
export const TextArea: FC<TextAreaProps> = ({ name, label, hint, error, value, ...area }) => (
  <LabeledField {...{ name, label, hint, error }}>
    <textarea spellcheck={false} {...area} {...fieldAttributes({ name, label, hint, error })}>
      {`\n${value}`}
    </textarea>
  </LabeledField>
)

type SelectProps = FieldTexts &
  Omit<JSX.IntrinsicElements['select'], 'class' | 'name' | 'value'> & {
    /** If it is not among the choices, the first choice is selected. */
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
  <LabeledField {...{ name, label, hint, error }}>
    <select {...select} {...fieldAttributes({ name, label, hint, error })}>
      {choices.map(([choice, text]) => (
        <option value={choice} {...(choice === value && { selected: true })}>
          {text}
        </option>
      ))}
    </select>
  </LabeledField>
)
