/** Displays untrusted text: a name, a sender's value, a reason. */
import type { FC } from 'hono/jsx'

/**
 * Characters that are invisible or that change the direction of the surrounding text. Variation selector 16 (U+FE0F),
 * which selects the emoji form, is allowed after a pictographic character.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** Replaces hidden characters by visible escapes, such as `‹U+202E›`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `‹U+${code}›`
  })
}

/**
 * Untrusted text within a sentence, isolated so that it cannot change the direction of the rest.
 * @param max maximum number of characters shown
 */
export const UserText: FC<{ text: string; max?: number }> = ({ text, max = 300 }) => (
  <bdi>{visible(text.length > max ? `${text.slice(0, max)}…` : text)}</bdi>
)

/** Returns a name as a hurried reader perceives it: its letters and digits in any width, case or spacing. */
export function asRead(name: string): string {
  return name.normalize('NFKC').replace(UNREAD, '').toLowerCase() || name
}

const UNREAD = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu
