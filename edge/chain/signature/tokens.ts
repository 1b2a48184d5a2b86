import { SignatureRefused } from './signature-refused.ts'

/** A word, number or punctuation mark, with its offset. The last token of a text is always `end`. */
export type Token = {
  kind: 'word' | 'number' | 'mark' | 'end'
  text: string
  position: number
}

/**
 * More than any compiled event needs: one with the most inputs and long names has about 1,000 characters. Bounded
 * because the text is stored in records and runs.
 */
export const SIGNATURE_MAX_CHARACTERS = 2_048

const SPACE = /[ \t\r\n]*/y
const TOKEN = /([A-Za-z_$][\w$]*)|(\d+)|[()[\],;.]/y

/** @throws {SignatureRefused} */
export function tokensOf(text: string): Token[] {
  if (text.length > SIGNATURE_MAX_CHARACTERS)
    throw new SignatureRefused(
      text,
      SIGNATURE_MAX_CHARACTERS,
      `it has ${text.length} characters, and at most ${SIGNATURE_MAX_CHARACTERS} are taken`,
      'leave out names and spaces',
    )
  const tokens: Token[] = []
  let position = 0
  for (;;) {
    SPACE.lastIndex = position
    SPACE.exec(text)
    position = SPACE.lastIndex
    if (position === text.length) return [...tokens, { kind: 'end', text: '', position }]
    TOKEN.lastIndex = position
    const [found, word, number] = TOKEN.exec(text) ?? []
    if (found === undefined) throw unexpectedCharacter(text, position)
    const kind = word !== undefined ? 'word' : number !== undefined ? 'number' : 'mark'
    tokens.push({ kind, text: found, position })
    position = TOKEN.lastIndex
  }
}

function unexpectedCharacter(text: string, position: number): SignatureRefused {
  const character = String.fromCodePoint(text.codePointAt(position)!)
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  // Text copied from web pages can contain invisible characters, so the error shows their code points.
  const shown = /^[!-~]$/.test(character) ? JSON.stringify(character) : `the character U+${code}`
  return new SignatureRefused(
    text,
    position,
    `${shown} has no place in a signature`,
    'write it like Transfer(address,address,uint256)',
  )
}
