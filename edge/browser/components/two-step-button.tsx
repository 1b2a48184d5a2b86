/**
 * Two-step button for actions that are irreversible or cost money. The second button is disabled for one second after
 * it appears.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Child, FC } from 'hono/jsx'

type TwoStepButtonProps = {
  text: string
  /** Accessible label that includes the target, such as "Remove the group signers". */
  label: string
  consequence: Child
  confirm: string
  /** Text of the button that closes the confirmation. @default 'Cancel' */
  dismiss?: string
  /** @default 'danger' */
  tone?: 'danger' | 'quiet'
  /** @default true */
  canConfirm?: boolean
  onConfirm: () => void
  /** Fields, shown between the consequence and the buttons. */
  children?: Child
}

export const TwoStepButton: FC<TwoStepButtonProps> = ({
  text,
  label,
  consequence,
  confirm,
  dismiss = 'Cancel',
  tone = 'danger',
  canConfirm = true,
  onConfirm,
  children,
}) => {
  const [isOpen, setOpen] = useState(false)
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isOpen) cancel.current?.focus()
  }, [isOpen])
  if (!isOpen)
    return (
      <button type="button" class={tone} aria-label={label} onClick={() => setOpen(true)}>
        {text}
      </button>
    )
  return (
    <div class={tone === 'danger' ? 'confirm' : 'confirm mild'} role="group" aria-label={label}>
      <p>{consequence}</p>
      {children}
      <div class="actions">
        <button
          type="button"
          class={tone === 'danger' ? 'danger armed' : 'armed'}
          disabled={!canConfirm}
          onClick={() => {
            setOpen(false)
            onConfirm()
          }}
        >
          {confirm}
        </button>
        <button type="button" class="quiet" ref={cancel} onClick={() => setOpen(false)}>
          {dismiss}
        </button>
      </div>
    </div>
  )
}
