/** The wire format of errors, and the error name of each status. */
import type { ErrorCode } from './error-codes.ts'

export const ERROR_NAMES = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  421: 'misdirected_request',
  422: 'unprocessable_entity',
  429: 'too_many_requests',
  431: 'request_header_fields_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
} as const

export type ErrorStatus = keyof typeof ERROR_NAMES

/** Statuses whose `error` is fixed, because clients compare it (docs/decisions/0065). */
const SPECIFIED: ReadonlySet<ErrorStatus> = new Set([
  400, 401, 402, 403, 404, 422, 429, 500, 503,
] as const)

/**
 * Reasons that the trigger service already published in `error`, kept there for compatibility (docs/decisions/0065).
 */
const PUBLISHED_AS_ERROR: ReadonlySet<ErrorCode> = new Set([
  'trigger_disabled',
  'chain_not_configured',
] as const)

/** Carries the reason of a failure, if it is more specific than the status. */
export const REASON_HEADER = 'x-svc-error'

/** A structured error body: `error` names the class, and `fix` tells the caller what to do. */
export type StructuredError = Named & { message: string; fix: string; docs_url: string }

/** `reason` is present only if it is more specific than the name of the status. */
export type Named = { error: string; reason?: string | undefined }

/**
 * Returns the most specific name of a failure. Releases before `reason` existed sent it as `error`, so this also reads
 * responses of an older edge or origin.
 */
export function reasonOf({ error, reason }: Named): string {
  return reason ?? error
}

export type ApiErrorOptions = {
  reason?: ErrorCode | undefined
  /** Name of the contract's error, used instead of `reason`. */
  contractError?: string
  headers?: Record<string, string>
}

/**
 * A failure with a status and a message for the caller. Domain code throws its own errors; one function on each side
 * (`edge/http/failure.ts`, `origin/http/failure.ts`) maps them to this class.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  /** Class of the failure: the name of the status if the status has a fixed name. */
  readonly error: string
  /** Most specific name of the failure; equals the name of the status if there is no other. */
  readonly reason: string
  /** Includes `x-svc-error` if the reason is more specific than the status. */
  readonly headers: Record<string, string>
  readonly #anchor: string

  constructor(
    status: ErrorStatus,
    message: string,
    fix: string,
    { reason, contractError, headers }: ApiErrorOptions = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.fix = fix
    const name = ERROR_NAMES[status]
    this.reason = contractError ?? reason ?? name
    this.#anchor = contractError === undefined ? this.reason : CONTRACT_ANCHOR
    const isNamed = reason !== undefined && PUBLISHED_AS_ERROR.has(reason)
    this.error = SPECIFIED.has(status) && !isNamed ? name : (reason ?? name)
    this.headers = { ...(this.reason !== name && { [REASON_HEADER]: this.reason }), ...headers }
  }

  /** The names of the failure, as used in bodies and sealed refusals. */
  get names(): Named {
    const { error, reason, status } = this
    return reason === ERROR_NAMES[status] ? { error } : { error, reason }
  }

  /**
   * Returns the wire form.
   * @param publicUrl base URL of the service, which serves the page that `docs_url` points to
   */
  toBody(publicUrl: string): StructuredError {
    const docs = new URL(`${ERRORS_PATH}#${this.#anchor}`, publicUrl)
    return { ...this.names, message: this.message, fix: this.fix, docs_url: docs.href }
  }
}

/** Path at which both services serve `docs/errors.md`, with an anchor for each reason. */
export const ERRORS_PATH = '/docs/errors'

const CONTRACT_ANCHOR = 'refusals-of-the-contract'
