/** Untrusted text, such as a name, a value from a webhook's sender, or an error message. */
import type { FC } from 'hono/jsx'

/**
 * Characters that are invisible, or that change the direction of the surrounding text. U+FE0F, which selects the emoji
 * form of a character, is allowed after a pictographic character.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** Escapes invisible characters, such as `‹U+202E›`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `‹U+${code}›`
  })
}

/** @param max maximum number of characters to show */
export const truncate = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}…` : text

/**
 * Isolated, so that the text cannot change the direction of the text around it.
 * @param max maximum number of characters to show
 */
export const UserText: FC<{ text: string; max?: number }> = ({ text, max = 300 }) => (
  <bdi>{escapeInvisible(truncate(text, max))}</bdi>
)

/** Nothing is shown for an empty description. */
export const DescriptionNote: FC<{ text: string }> = ({ text }) =>
  text === '' ? (
    <></>
  ) : (
    <p class="note">
      <UserText text={text} />
    </p>
  )

/** Similar-looking names become equal: only letters and digits count, regardless of width and case. */
export function comparableName(name: string): string {
  return name.normalize('NFKC').replace(IGNORED_CHARACTERS, '').toLowerCase() || name
}

const IGNORED_CHARACTERS = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu
