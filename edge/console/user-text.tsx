/** Text that a stranger may have written: a name, a sender's value, a reason. */
import type { FC } from 'hono/jsx'

/**
 * What has no shape of its own, or turns the direction of what stands around it. Of the selectors that make no shape, the one
 * that makes a sign an emoji stays behind such a sign.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** The same text where nothing is hidden in it: `‹U+202E›` in place of what a browser would obey. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `‹U+${code}›`
  })
}

/** As a part of a sentence, which it cannot turn around. @param max characters that are shown */
export const UserText: FC<{ text: string; max?: number }> = ({ text, max = 300 }) => (
  <bdi>{visible(text.length > max ? `${text.slice(0, max)}…` : text)}</bdi>
)

/** As a hurried reader takes a name: by its letters and digits, in whatever width, case or spacing. */
export function asRead(name: string): string {
  return name.normalize('NFKC').replace(UNREAD, '').toLowerCase() || name
}

const UNREAD = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu
