/** Number of characters of the signature that an error message quotes, starting at the problem. */
const SHOWN_CHARACTERS = 24

/** Thrown if an event signature is invalid. Callers can use the message, or compose their own from the properties. */
export class SignatureRefused extends Error {
  override name = 'SignatureRefused'
  /** Zero-based offset of the problem in the signature. */
  readonly position: number
  readonly problem: string
  readonly fix: string

  constructor(text: string, position: number, problem: string, fix: string) {
    super(`${problem}, at position ${position} (${place(text, position)}): ${fix}`)
    this.position = position
    this.problem = problem
    this.fix = fix
  }
}

/** Quotes the text that starts at a position, on a single line. */
function place(text: string, position: number): string {
  const rest = text.slice(position, position + SHOWN_CHARACTERS).replace(/\s+/g, ' ')
  if (rest === '') return 'at the end'
  return JSON.stringify(position + SHOWN_CHARACTERS < text.length ? `${rest}…` : rest)
}
