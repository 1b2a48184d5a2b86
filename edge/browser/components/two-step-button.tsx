/** Two-step button for irreversible actions. The second button is disabled for one second after it appears. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Child, FC } from 'hono/jsx'

type TwoStepButtonProps = {
  text: string
  /** Accessible label that includes the target, such as "Remove the group signers". */
  label: string
  consequence: Child
  confirm: string
  onConfirm: () => void
}

export const TwoStepButton: FC<TwoStepButtonProps> = ({
  text,
  label,
  consequence,
  confirm,
  onConfirm,
}) => {
  const [isOpen, setOpen] = useState(false)
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isOpen) cancel.current?.focus()
  }, [isOpen])
  if (!isOpen)
    return (
      <button type="button" class="danger" aria-label={label} onClick={() => setOpen(true)}>
        {text}
      </button>
    )
  return (
    <div class="confirm" role="group" aria-label={label}>
      <p>{consequence}</p>
      <div class="actions">
        <button
          type="button"
          class="danger armed"
          onClick={() => {
            setOpen(false)
            onConfirm()
          }}
        >
          {confirm}
        </button>
        <button type="button" class="quiet" ref={cancel} onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </div>
  )
}
