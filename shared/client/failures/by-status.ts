import { type SvcErrorFields, SvcError } from './svc-error.ts'

/**
 * Error fields with the response's `Retry-After` header in seconds, counted from the arrival of the response.
 * `retryAfterS` is absent if the response has no such header.
 */
type RetryErrorFields = SvcErrorFields & { retryAfterS?: number | undefined }

/** 400: the request is not JSON, or contains an invalid value. */
export class BadRequest extends SvcError {
  override name = 'BadRequest'
}

/** 401: the request has no key, or the key does not belong to an account. */
export class Unauthorized extends SvcError {
  override name = 'Unauthorized'
}

/** 402: the account's credits or the key's cap do not cover the call. */
export class PaymentRequired extends SvcError {
  override name = 'PaymentRequired'
}

/** 403: the key is valid, but lacks the permission. */
export class Forbidden extends SvcError {
  override name = 'Forbidden'
}

/** 404: the endpoint does not exist, or the caller has no such object. */
export class NotFound extends SvcError {
  override name = 'NotFound'
}

/** 413: the request is larger than the endpoint allows. */
export class PayloadTooLarge extends SvcError {
  override name = 'PayloadTooLarge'
}

/** 422: the JSON has the wrong structure. The message names the field. */
export class Unprocessable extends SvcError {
  override name = 'Unprocessable'
}

/** 500 and above, except 503 and failed actions: the service failed. */
export class ServerFailure extends SvcError {
  override name = 'ServerFailure'
}

export class RetryAfterError extends SvcError {
  readonly retryAfterS: number | undefined
  constructor(message: string, facts: RetryErrorFields) {
    super(message, facts)
    this.retryAfterS = facts.retryAfterS
  }
}

/**
 * 409: the object already exists, or the outcome is not available yet (`payment_pending`, `request_in_progress`,
 * `outcome_unknown`).
 */
export class Conflict extends RetryAfterError {
  override name = 'Conflict'
}

/** 429: the caller exceeded a rate limit, or the node is overloaded. */
export class TooManyRequests extends RetryAfterError {
  override name = 'TooManyRequests'
}

/** 503: billing, the chain or the actions runtime is unavailable. Nothing was charged. */
export class ServiceUnavailable extends RetryAfterError {
  override name = 'ServiceUnavailable'
}

/**
 * Creates the error for a response.
 * @param facts fields of the error. The status selects the class. A status without a class, such as 405, results in a
 * plain `SvcError`
 */
export function errorForStatus(
  message: string,
  facts: RetryErrorFields & { status: number },
): SvcError {
  const { status } = facts
  const named = CLASSES.get(status)
  if (named) return new named(message, facts)
  return status >= 500 ? new ServerFailure(message, facts) : new SvcError(message, facts)
}

const CLASSES = new Map<number, new (message: string, facts: RetryErrorFields) => SvcError>([
  [400, BadRequest],
  [401, Unauthorized],
  [402, PaymentRequired],
  [403, Forbidden],
  [404, NotFound],
  [409, Conflict],
  [413, PayloadTooLarge],
  [422, Unprocessable],
  [429, TooManyRequests],
  [503, ServiceUnavailable],
])
