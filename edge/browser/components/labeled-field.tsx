/** Screen readers read the label, the hint and the error together with the field. */
import type { Child, FC } from 'hono/jsx'

export type FieldTexts = {
  /** Also the element's ID, so it must be unique on the page. */
  name: string
  label: string
  hint?: Child
  /** Reason why the value was rejected. */
  error?: string | undefined
}

/** HTML attributes that connect a field with its hint and error. */
export function fieldAttributes({ name, hint, error }: FieldTexts) {
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(describedBy !== '' && { 'aria-describedby': describedBy }),
    ...(error && { 'aria-invalid': 'true' as const, autofocus: true }),
  }
}

export const LabeledField: FC<FieldTexts & { children?: Child }> = ({
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
