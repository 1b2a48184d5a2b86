/**
 * Secret that can be shown only once. It is masked until the person reveals it, and is removed from the page only after
 * the person confirms having stored it.
 */
import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { Choice } from './form-fields.tsx'

type OneTimeSecretProps = {
  name: string
  secret: string
  warning: string
  mayKeep?: boolean
  onStored: (keep: boolean) => void
}

export const OneTimeSecret = ({ name, secret, warning, mayKeep, onStored }: OneTimeSecretProps) => {
  const [isShown, setShown] = useState(false)
  const [isStored, setStored] = useState(false)
  const [keep, setKeep] = useState(false)
  return (
    <>
      <p class="warn">{warning}</p>
      <div class="secret">
        <strong>The {name}</strong>
        <code aria-label={isShown ? `The ${name}` : `The ${name}, hidden`}>
          {isShown ? secret : '•'.repeat(24)}
        </code>
        <div class="actions">
          <button type="button" class="quiet" onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </button>
          <CopyButton text={secret} of={`the ${name}`} />
        </div>
      </div>
      <Choice
        type="checkbox"
        checked={isStored}
        onClick={(event) => setStored((event.target as HTMLInputElement).checked)}
      >
        I have stored the {name}
      </Choice>
      {mayKeep && (
        <Choice
          type="checkbox"
          checked={keep}
          onClick={(event) => setKeep((event.target as HTMLInputElement).checked)}
        >
          Keep it in this tab, until the tab is closed
        </Choice>
      )}
      <button type="button" disabled={!isStored} onClick={() => onStored(keep)}>
        Continue
      </button>
    </>
  )
}
