/** Texts that one takes with one. */
import { useState } from 'hono/jsx/dom'
import type { Child, FC } from 'hono/jsx'
import { folded } from './folded.ts'

/** Puts a text on the clipboard, and says so. @param of what it is, for screen readers: "the address of …" */
export const Copy: FC<{ text: string; of: string; children?: Child }> = ({
  text,
  of,
  children,
}) => {
  const [state, setState] = useState<'' | 'Copied' | 'Not copied: select it'>('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('Copied'),
      () => setState('Not copied: select it'),
    )
  return (
    <span class="copy">
      <button
        type="button"
        class="quiet small"
        aria-label={`Copy ${of}`}
        onClick={() => void copy()}
      >
        {children ?? 'Copy'}
      </button>
      <span role="status">{state}</span>
    </span>
  )
}

/** An address or a hash, folded in its middle; whole for who points at it, selects or copies it. */
export const Folded: FC<{ text: string; of: string }> = ({ text, of }) => (
  <span class="folded">
    <code title={text}>{folded(text)}</code> <Copy text={text} of={of} />
  </span>
)
