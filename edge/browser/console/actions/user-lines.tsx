import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { escapeLinesAndCr } from '../../format/values.ts'

/**
 * Maximum number of characters that are shown initially, which browsers lay out without a noticeable delay. A button
 * shows the rest.
 */
const SHOWN_CHARACTERS = 20_000

/** @param of description of the text for screen readers, such as "Console output" */
export const UserLines: FC<{ text: string; of: string }> = ({ text, of }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS
  return (
    <>
      <pre class="lines" role="region" aria-label={of} tabindex={0} dir="ltr">
        {escapeLinesAndCr(isCut ? text.slice(0, SHOWN_CHARACTERS) : text)}
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
