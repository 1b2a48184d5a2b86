/** Characters of the text that a refusal repeats from its place on. */
const SHOWN_CHARACTERS = 24

/** A text that is no event's signature. The message says all; the parts are for who builds a message of its own. */
export class SignatureRefused extends Error {
  override name = 'SignatureRefused'
  /** Where in the text, from 0. */
  readonly position: number
  readonly problem: string
  /** What to write instead. */
  readonly fix: string

  constructor(text: string, position: number, problem: string, fix: string) {
    super(`${problem}, at position ${position} (${place(text, position)}): ${fix}`)
    this.position = position
    this.problem = problem
    this.fix = fix
  }
}

/** The text from its place on, on one line. */
function place(text: string, position: number): string {
  const rest = text.slice(position, position + SHOWN_CHARACTERS).replace(/\s+/g, ' ')
  if (rest === '') return 'at the end'
  return JSON.stringify(position + SHOWN_CHARACTERS < text.length ? `${rest}…` : rest)
}
