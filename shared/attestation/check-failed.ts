/** Thrown when a verification rule fails. The message is a human-readable reason. */
export class CheckFailedError extends Error {
  override name = 'CheckFailedError'
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CheckFailedError(message)
}

/** Quotes text from the evidence, so that an error message does not present the text as our own words. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be parsed'
  const { cause } = error
  const text = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
  return text.slice(0, 300)
}
