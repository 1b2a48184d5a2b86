import { ApiError } from '../../shared/errors.ts'

/** The one place where the edge's failures get their status. What is not listed is ours, and says nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(
    500,
    'The server failed to answer this request.',
    'Try again; if it stays, report the x-request-id of this answer.',
  )
}
