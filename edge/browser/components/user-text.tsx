import type { FC } from 'hono/jsx'

/**
 * Pattern of characters that are invisible, or that change the direction of the surrounding text. U+FE0F, which selects
 * the emoji form of a character, is allowed after a pictographic character.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** Escapes invisible characters. For example, U+202E becomes `‹U+202E›`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `‹U+${code}›`
  })
}

export const truncate = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}…` : text

/**
 * Untrusted text. The `<bdi>` element isolates the text, so that it cannot change the direction of the text around it.
 */
export const UserText: FC<{ text: string; max?: number }> = ({ text, max = 300 }) => (
  <bdi>{escapeInvisible(truncate(text, max))}</bdi>
)

export const DescriptionNote: FC<{ text: string }> = ({ text }) =>
  text === '' ? (
    <></>
  ) : (
    <p class="note">
      <UserText text={text} />
    </p>
  )

/**
 * Returns a key for comparing names, which is identical for similar names. Only letters and digits are significant,
 * regardless of width and case.
 */
export function comparableName(name: string): string {
  return name.normalize('NFKC').replace(IGNORED_CHARACTERS, '').toLowerCase() || name
}

const IGNORED_CHARACTERS = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu
