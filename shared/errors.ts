/** Wire format of error responses. */
import type { ErrorCode } from './error-codes.ts'
import { ERROR_NAMES, type ErrorStatus } from './error-names.ts'

/** Statuses with a fixed `error` field, because clients compare it (docs/decisions/0065). */
const SPECIFIED: ReadonlySet<ErrorStatus> = new Set([
  400, 401, 402, 403, 404, 422, 429, 500, 503,
] as const)

/**
 * Reasons that the trigger service already published in the `error` field. They stay in that field for compatibility
 * (docs/decisions/0065).
 */
const PUBLISHED_AS_ERROR: ReadonlySet<ErrorCode> = new Set([
  'trigger_disabled',
  'chain_not_configured',
] as const)

/** Response header with the reason of a failure, if the reason is more specific than the status. */
export const REASON_HEADER = 'x-svc-error'

/** Body of a structured error: `error` names the class of the failure, and `fix` tells the caller what to do. */
export type StructuredError = Named & { message: string; fix: string; docs_url: string }

/** Names of a failure. `reason` is present only if it is more specific than the name of the status. */
export type Named = { error: string; reason?: string | undefined }

/**
 * Returns the most specific name of a failure. Releases from before `reason` existed sent that name as `error`, so this
 * function also reads responses of an older edge or origin.
 */
export function reasonOf({ error, reason }: Named): string {
  return reason ?? error
}

export type ApiErrorOptions = {
  reason?: ErrorCode | undefined
  /** Name of the contract's error. It is used instead of `reason`. */
  contractError?: string
  headers?: Record<string, string>
}

/**
 * A failure with an HTTP status and a message for the caller. Domain code throws its own errors. One function each in
 * the edge and the origin (`edge/http/failure.ts`, `origin/http/failure.ts`) maps them to this class.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  /** Class of the failure. For a status with a fixed name, this is the name of the status. */
  readonly error: string
  /** Most specific name of the failure. Equals the name of the status if there is no other name. */
  readonly reason: string
  /** Response headers, with `x-svc-error` if the reason is more specific than the status. */
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

  /** Names of the failure, as used in response bodies and sealed error responses. */
  get names(): Named {
    const { error, reason, status } = this
    return reason === ERROR_NAMES[status] ? { error } : { error, reason }
  }

  /**
   * Returns the structured error body.
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
