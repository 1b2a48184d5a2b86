/** Confirmation for which the person must type a phrase, so that an accidental click has no effect. */
import type { Child, FC } from 'hono/jsx'
import { useState } from 'preact/hooks'
import { Field } from '../../components/form-fields.tsx'
import { readSubmittedForm } from '../submitted-form.ts'

type TypedConfirmationProps = {
  words: string
  act: string
  onConfirmed: () => void
  children?: Child
}

export const TypedConfirmation: FC<TypedConfirmationProps> = ({
  words,
  act,
  onConfirmed,
  children,
}) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = (event: Event) => {
    const typed = readSubmittedForm(event).text('typed')
    const isRight = typed.toLowerCase() === words
    setError(isRight ? undefined : `Nothing was done yet. Type “${words}” to confirm.`)
    if (isRight) onConfirmed()
  }
  return (
    <form onSubmit={submit} novalidate>
      {children}
      <Field
        name="typed"
        label={`Type “${words}” to confirm`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        error={error}
      />
      <button class="danger">{act}</button>
    </form>
  )
}
