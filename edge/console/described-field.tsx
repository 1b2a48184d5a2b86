/** Form field with a label, a hint and an error. Screen readers read these together with the field. */
import type { Child, FC } from 'hono/jsx'

export type About = {
  /** Name of the field. It is also the element's ID, so it must be unique on the page. */
  name: string
  label: string
  hint?: Child
  /** Reason why the entered value was rejected; undefined if the value was not rejected. */
  error?: string | undefined
}

/** Returns the HTML attributes that connect a field with its hint and error. */
export function tied({ name, hint, error }: About) {
  const about = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(about !== '' && { 'aria-describedby': about }),
    ...(error && { 'aria-invalid': 'true' as const, autofocus: true }),
  }
}

export const Described: FC<About & { children?: Child }> = ({
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
