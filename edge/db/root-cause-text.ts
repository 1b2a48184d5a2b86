import { DrizzleQueryError } from 'drizzle-orm'

const MAX_CHARACTERS = 300

/**
 * Returns a short reason to log after a database or Durable Object call has failed. Uses only the message of the
 * innermost cause, because the outer errors quote the SQL statement and its values, such as e-mail addresses.
 */
export function rootCauseText(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return textOf(cause).slice(0, MAX_CHARACTERS)
}

function textOf(cause: unknown): string {
  if (cause instanceof DrizzleQueryError) return 'a statement failed without a reason'
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}
