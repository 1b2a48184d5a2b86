/** The `Idempotency-Key` header, which both services check in the same way. */
import { ApiError } from '../errors/api-error.ts'
import { IDEMPOTENCY_KEY_MAX } from '../limits.ts'

/**
 * @param header `undefined` if the request has no such header
 * @throws {ApiError} 400 for an invalid key
 */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (header.length <= IDEMPOTENCY_KEY_MAX && /^[\x20-\x7e]+$/.test(header)) return header
  throw new ApiError(
    400,
    `Idempotency-Key: expected 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters.`,
    'Send a random ID, such as a UUID, and use a new one for each distinct request.',
  )
}

/** Returns the error for a key whose first request had another body. */
export function idempotencyKeyReused(): ApiError {
  return new ApiError(
    422,
    'Idempotency-Key: already used for a request with a different body.',
    'Send exactly the body of the first request, or a new Idempotency-Key.',
  )
}
