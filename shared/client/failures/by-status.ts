/** What the service refused, a class for each status that the specification names ("Errors"). */
import { type FailureFacts, SvcError } from '../failures.ts'

/** `Retry-After`, in seconds from when the answer came; absent where it says none. */
export type RetryFacts = FailureFacts & { retryAfterS?: number | undefined }

/** 400: not JSON, or a value that can not be. */
export class BadRequest extends SvcError {
  override name = 'BadRequest'
}

/** 401: no key, or one that resolves to no account. */
export class Unauthorized extends SvcError {
  override name = 'Unauthorized'
}

/** 402: the account exists, and its credits, or the key's cap, do not cover the call. */
export class PaymentRequired extends SvcError {
  override name = 'PaymentRequired'
}

/** 403: a valid key that may not do this. */
export class Forbidden extends SvcError {
  override name = 'Forbidden'
}

/** 404: no such endpoint, or none of this caller's. */
export class NotFound extends SvcError {
  override name = 'NotFound'
}

/** 413: more bytes than the endpoint takes. */
export class PayloadTooLarge extends SvcError {
  override name = 'PayloadTooLarge'
}

/** 422: JSON of another shape; the message names the field. */
export class Unprocessable extends SvcError {
  override name = 'Unprocessable'
}

/** 500 and above, but 503 and a failed action. */
export class ServerFailure extends SvcError {
  override name = 'ServerFailure'
}

class Later extends SvcError {
  readonly retryAfterS: number | undefined
  constructor(message: string, facts: RetryFacts) {
    super(message, facts)
    this.retryAfterS = facts.retryAfterS
  }
}

/** 409: what is there already, or is not yet (`payment_pending`, `request_in_progress`, `outcome_unknown`). */
export class Conflict extends Later {
  override name = 'Conflict'
}

/** 429: too many calls, or a node with too much to do. */
export class TooManyRequests extends Later {
  override name = 'TooManyRequests'
}

/** 503: billing, the chain or the actions runtime is away; nothing was charged. */
export class ServiceUnavailable extends Later {
  override name = 'ServiceUnavailable'
}

/** @param facts with the status that chooses the class; others, such as 405, are a plain `SvcError` */
export function refusalOf(message: string, facts: RetryFacts & { status: number }): SvcError {
  const { status } = facts
  const named = CLASSES.get(status)
  if (named) return new named(message, facts)
  return status >= 500 ? new ServerFailure(message, facts) : new SvcError(message, facts)
}

const CLASSES = new Map<number, new (message: string, facts: RetryFacts) => SvcError>([
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
