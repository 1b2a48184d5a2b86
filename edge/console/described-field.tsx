/** What stands around each field: its label, a hint, and what is wrong with it, which are read out with it. */
import type { Child, FC } from 'hono/jsx'

export type About = {
  /** Its id too: one on a page. */
  name: string
  label: string
  hint?: Child
  /** Why what was entered cannot be taken. */
  error?: string | undefined
}

/** What is said of a field, and the attributes that tie it to that. */
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
