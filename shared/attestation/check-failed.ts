/** A check of a rule failed. The message is the rule's reason, a sentence for people. */
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

/** Truncates and quotes text from evidence, so that a message does not present it as our own words. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

/** Formats a library's error about untrusted bytes, with its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not parse'
  const { cause } = error
  const text = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
  return text.slice(0, 300)
}
