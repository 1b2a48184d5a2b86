import { ApiError } from '../../shared/errors.ts'

/** The one place where the edge's failures get their status. What is not listed is ours, and says nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isObjectAway(error)) {
    const fix = 'Send it again shortly.'
    return new ApiError(503, 'A part of the service could not be reached.', fix, {
      headers: { 'retry-after': '5' },
    })
  }
  return new ApiError(
    500,
    'The server failed to answer this request.',
    'Try again; if it stays, report the x-request-id of this answer.',
  )
}

/** What the runtime throws for an object that restarts, moves or has too many requests waiting: senders try again. */
function isObjectAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return Reflect.get(error, 'retryable') === true || Reflect.get(error, 'overloaded') === true
}
