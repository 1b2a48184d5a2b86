/** Length of the excerpt in an error message. The excerpt starts at the problem. */
const SHOWN_CHARACTERS = 24

/** An event signature is invalid. Callers can use the message, or compose their own from the properties. */
export class EventSignatureError extends Error {
  override name = 'EventSignatureError'
  /** Position of the problem, as a zero-based offset in the signature. */
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

function place(text: string, position: number): string {
  const rest = text.slice(position, position + SHOWN_CHARACTERS).replace(/\s+/g, ' ')
  if (rest === '') return 'at the end'
  return JSON.stringify(position + SHOWN_CHARACTERS < text.length ? `${rest}…` : rest)
}
