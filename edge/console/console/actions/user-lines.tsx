/** Long text that a stranger may have written: a response, console output, a stack. */
import { useState } from 'hono/jsx/dom'
import type { FC } from 'hono/jsx'
import { visible } from '../../user-text.tsx'

/** A browser lays out no more than this at a time without a stutter; the rest is a press away. */
const SHOWN_CHARACTERS = 20_000

/** The same text with its line ends and tabs, and nothing else that is not seen. */
export const visibleLines = (text: string) =>
  text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('')

/** @param of what it is, for screen readers: "Console output" */
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
