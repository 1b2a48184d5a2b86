/** For what has no way back: nobody does it by a press in the wrong place. */
import type { Child, FC } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { Field } from '../../parts.tsx'
import { submitted } from '../form.ts'

type TypedConfirmationProps = {
  /** What has to be typed. */
  words: string
  /** On the button. */
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
    const typed = submitted(event).text('typed')
    const isRight = typed.toLowerCase() === words
    setError(isRight ? undefined : `Type “${words}”, and nothing was done yet.`)
    if (isRight) onConfirmed()
  }
  return (
    <form onSubmit={submit} novalidate>
      {children}
      <Field
        name="typed"
        label={`Type “${words}” to confirm`}
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        error={error}
      />
      <button type="submit" class="danger">
        {act}
      </button>
    </form>
  )
}
