import type { ErrorCode } from './error-codes.ts'
import { ERROR_NAMES, type ErrorStatus } from './error-names.ts'

/** Statuses whose `error` field is fixed, because clients compare the field (docs/decisions/0065). */
const STATUSES_WITH_FIXED_ERROR: ReadonlySet<ErrorStatus> = new Set([
  400, 401, 402, 403, 404, 422, 429, 500, 503,
] as const)

/**
 * Error codes that the trigger service has published in the `error` field. They remain in this field for compatibility
 * (docs/decisions/0065).
 */
const PUBLISHED_AS_ERROR: ReadonlySet<ErrorCode> = new Set([
  'trigger_disabled',
  'chain_not_configured',
] as const)

/** Response header with the reason, sent if the reason is more specific than the status. */
export const REASON_HEADER = 'x-svc-error'

/** Body of an error response. `error` names the class of the failure, and `fix` tells the caller what to do. */
export type StructuredError = ErrorNames &
  Partial<SourcePosition> & { message: string; fix: string; docs_url: string }

/** Position of an error in an action's source. Both numbers start at 1, and columns count characters. */
export type SourcePosition = { line: number; column: number }

/** `reason` is present only if it is more specific than the name of the status. */
export type ErrorNames = { error: string; reason?: string | undefined }

/**
 * Returns the most specific name of an error. Also supports responses of an older edge or origin, which sent that name
 * as `error`.
 */
export function errorReason({ error, reason }: ErrorNames): string {
  return reason ?? error
}

type ApiErrorOptions = {
  reason?: ErrorCode | undefined
  /** Custom error of the contract, which is used instead of `reason`. */
  contractError?: string
  headers?: Record<string, string>
  position?: SourcePosition
}

/**
 * A failure with an HTTP status and a message for the caller. `edge/http/failure.ts` and `origin/http/failure.ts` map
 * domain errors to this class.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  /** Class of the failure. For statuses with a fixed `error` field, the name of the status. */
  readonly error: string
  /** Most specific name of the error. Equals the name of the status if no other name applies. */
  readonly reason: string
  /** Headers of the response. They include `x-svc-error` if the reason is more specific than the status. */
  readonly headers: Record<string, string>
  readonly position: SourcePosition | undefined
  readonly #anchor: string

  constructor(
    status: ErrorStatus,
    message: string,
    fix: string,
    { reason, contractError, headers, position }: ApiErrorOptions = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.fix = fix
    this.position = position
    const name = ERROR_NAMES[status]
    this.reason = contractError ?? reason ?? name
    this.#anchor = contractError === undefined ? this.reason : CONTRACT_ANCHOR
    const isNamed = reason !== undefined && PUBLISHED_AS_ERROR.has(reason)
    this.error = STATUSES_WITH_FIXED_ERROR.has(status) && !isNamed ? name : (reason ?? name)
    this.headers = { ...(this.reason !== name && { [REASON_HEADER]: this.reason }), ...headers }
  }

  get names(): ErrorNames {
    const { error, reason, status } = this
    return reason === ERROR_NAMES[status] ? { error } : { error, reason }
  }

  /** @param publicUrl base URL of the service, which serves the page that `docs_url` points to */
  toBody(publicUrl: string): StructuredError {
    const docs = new URL(`${ERRORS_PATH}#${this.#anchor}`, publicUrl)
    const { names, message, fix, position } = this
    return { ...names, message, fix, docs_url: docs.href, ...position }
  }
}

/** Path at which both services serve `docs/errors.md`, with an anchor for each reason. */
export const ERRORS_PATH = '/docs/errors'

const CONTRACT_ANCHOR = 'refusals-of-the-contract'
