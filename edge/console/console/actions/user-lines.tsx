/** Shows long untrusted text: a response, console output or a stack. */
import { useState } from 'hono/jsx/dom'
import type { FC } from 'hono/jsx'
import { visible } from '../../user-text.tsx'

/** Longest text that browsers lay out without a noticeable delay. A button shows the rest. */
const SHOWN_CHARACTERS = 20_000

/** Keeps line breaks and tabs, and makes all other invisible characters visible. */
export const visibleLines = (text: string) =>
  text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('')

/** @param of describes the text for screen readers: "Console output" */
export const UserLines: FC<{ text: string; of: string }> = ({ text, of }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS
  return (
    <>
      <pre class="lines" role="region" aria-label={of} tabindex={0} dir="ltr">
        {visibleLines(isCut ? text.slice(0, SHOWN_CHARACTERS) : text)}
      </pre>
      {isCut && (
        <p>
          <button type="button" class="quiet small" onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString('en')} characters
          </button>
        </p>
      )}
    </>
  )
}
