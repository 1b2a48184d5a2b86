import { useState } from 'preact/hooks'
import type { Child, FC } from 'hono/jsx'
import { shortenId } from '../format/values.ts'

/** @param of description of the text for screen readers, such as "the address of …" */
export const CopyButton: FC<{ text: string; of: string; children?: Child }> = ({
  text,
  of,
  children,
}) => {
  const [state, setState] = useState<'' | 'Copied' | 'Copy failed; select the text'>('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('Copied'),
      () => setState('Copy failed; select the text'),
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

export const ShortenedId: FC<{ text: string; of: string }> = ({ text, of }) => (
  <span class="folded">
    <code title={text}>{shortenId(text)}</code> <CopyButton text={text} of={of} />
  </span>
)
