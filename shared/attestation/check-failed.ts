/** One check of a rule does not hold; the message is the rule's reason, a sentence for people. */
export class CheckFailed extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CheckFailed'
  }
}

/** @throws {CheckFailed} */
export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailed(otherwise)
}

/** What evidence says, short enough for a sentence, and in quotes, so that it is not taken for our words. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

/** What a library said of hostile bytes, and what was below it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not parse'
  const { cause } = error
  const text = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
  return text.slice(0, 300)
}
