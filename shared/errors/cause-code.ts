/**
 * Returns the code of an error or of its cause, such as `ECONNREFUSED`, or the name of the innermost cause. Unlike the
 * message, these contain no URL and no credential.
 */
export function causeCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, cause } = error as Error & { code?: unknown }
  if (typeof code === 'string') return code
  return cause instanceof Error ? causeCode(cause) : error.name
}
