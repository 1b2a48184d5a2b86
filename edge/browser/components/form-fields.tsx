/** Form fields. Screen readers read the label, the hint and the error together with the field. */
import type { Child, FC, JSX } from 'hono/jsx'
import { NAME_MAX_CHARACTERS } from '../../../shared/limits.ts'

type FieldTexts = {
  /** Name of the field. It is also the element's ID, so it must be unique on the page. */
  name: string
  label: string
  hint?: Child
  error?: string | undefined
}

function fieldAttributes({ name, hint, error }: FieldTexts) {
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(describedBy !== '' && { 'aria-describedby': describedBy }),
    ...(error && { 'aria-invalid': 'true' as const, autofocus: true }),
  }
}

const LabeledField: FC<FieldTexts & { children?: Child }> = ({
  name,
  label,
  hint,
  error,
  children,
}) => (
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

type FieldProps = FieldTexts &
  Omit<JSX.IntrinsicElements['input'], 'class' | 'name'> & { class?: string }

export const Field: FC<FieldProps> = ({ name, label, hint, error, ...input }) => (
  <LabeledField {...{ name, label, hint, error }}>
    <input {...input} {...fieldAttributes({ name, label, hint, error })} />
  </LabeledField>
)

/** Field for a name that is stored in the contract and is therefore public. */
export const PublicNameField: FC<{ name: string; optional?: boolean }> = ({
  name,
  optional = false,
}) => (
  <Field
    name={name}
    label="Name"
    hint={`${optional ? 'Optional. ' : ''}Stored publicly on the chain.`}
    required={!optional}
    maxlength={NAME_MAX_CHARACTERS}
    autocomplete="off"
  />
)

type TextAreaProps = FieldTexts &
  Omit<JSX.IntrinsicElements['textarea'], 'class' | 'name' | 'value'> & { value: string }

/** The content starts with an additional line break, because browsers ignore the first line break in a textarea. */
export const TextArea: FC<TextAreaProps> = ({ name, label, hint, error, value, ...area }) => (
  <LabeledField {...{ name, label, hint, error }}>
    <textarea spellcheck={false} {...area} {...fieldAttributes({ name, label, hint, error })}>
      {`\n${value}`}
    </textarea>
  </LabeledField>
)

/** Controlled text area for pages that a script renders. */
export const LiveTextArea: FC<TextAreaProps> = ({ name, label, hint, error, value, ...area }) => (
  <LabeledField {...{ name, label, hint, error }}>
    <textarea
      spellcheck={false}
      {...area}
      value={value}
      {...fieldAttributes({ name, label, hint, error })}
    />
  </LabeledField>
)

type SelectProps = FieldTexts &
  Omit<JSX.IntrinsicElements['select'], 'class' | 'name' | 'value'> & {
    /** Selected value. If it is not among the choices, the first choice is selected. */
    value: string
    choices: readonly (readonly [value: string, text: string])[]
  }

export const Select = ({ name, label, hint, error, value, choices, ...select }: SelectProps) => (
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

/** Radio button or checkbox. Group related choices in a `<fieldset>` with a `<legend>`. */
export const Choice: FC<JSX.IntrinsicElements['input'] & { children?: Child }> = ({
  type = 'radio',
  children,
  ...input
}) => (
  <label class="choice">
    <input type={type} {...input} />
    <span>{children}</span>
  </label>
)
