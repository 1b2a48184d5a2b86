import { DrizzleQueryError } from 'drizzle-orm'

/** More of a reason is not read in a log. */
const MAX_CHARACTERS = 300

/**
 * For the log: why a database, or an object that was asked, failed, in one short line. The innermost cause is told
 * alone: what is around it has the failed statement with its values, e-mail addresses among them.
 */
export function causeOf(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return textOf(cause).slice(0, MAX_CHARACTERS)
}

function textOf(cause: unknown): string {
  if (cause instanceof DrizzleQueryError) return 'a statement failed, and nothing says why'
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}
