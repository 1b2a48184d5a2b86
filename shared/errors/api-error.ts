import type { ErrorCode } from './error-codes.ts'
import { ERROR_NAMES, type ErrorStatus } from './error-names.ts'

/** Statuses with a fixed `error` field, because clients compare it (docs/decisions/0065). */
const STATUSES_WITH_FIXED_ERROR: ReadonlySet<ErrorStatus> = new Set([
  400, 401, 402, 403, 404, 422, 429, 500, 503,
] as const)

/**
 * Published by the trigger service in the `error` field, where they stay for compatibility
 * (docs/decisions/0065).
 */
const PUBLISHED_AS_ERROR: ReadonlySet<ErrorCode> = new Set([
  'trigger_disabled',
  'chain_not_configured',
] as const)

/** Sent if the reason is more specific than the status. */
export const REASON_HEADER = 'x-svc-error'

/** `error` names the class of the failure, and `fix` tells the caller what to do. */
export type StructuredError = ErrorNames & { message: string; fix: string; docs_url: string }

/** `reason` is present only if it is more specific than the name of the status. */
export type ErrorNames = { error: string; reason?: string | undefined }

/** Reads responses of an older edge or origin too, which sent the most specific name as `error`. */
export function errorReason({ error, reason }: ErrorNames): string {
  return reason ?? error
}

type ApiErrorOptions = {
  reason?: ErrorCode | undefined
  /** Used instead of `reason`. */
  contractError?: string
  headers?: Record<string, string>
}

/**
 * A failure with an HTTP status and a message for the caller. `edge/http/failure.ts` and `origin/http/failure.ts` map
 * domain errors to it.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  /** Class of the failure: the name of the status, if that is fixed. */
  readonly error: string
  /** Most specific name; equals the name of the status if there is no other. */
  readonly reason: string
  /** Include `x-svc-error` if the reason is more specific than the status. */
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
    this.error = STATUSES_WITH_FIXED_ERROR.has(status) && !isNamed ? name : (reason ?? name)
    this.headers = { ...(this.reason !== name && { [REASON_HEADER]: this.reason }), ...headers }
  }

  /** Names in response bodies and sealed error responses. */
  get names(): ErrorNames {
    const { error, reason, status } = this
    return reason === ERROR_NAMES[status] ? { error } : { error, reason }
  }

  /** @param publicUrl base URL of the service, which serves the page that `docs_url` points to */
  toBody(publicUrl: string): StructuredError {
    const docs = new URL(`${ERRORS_PATH}#${this.#anchor}`, publicUrl)
    return { ...this.names, message: this.message, fix: this.fix, docs_url: docs.href }
  }
}

/** Both services serve `docs/errors.md` here, with an anchor for each reason. */
export const ERRORS_PATH = '/docs/errors'

const CONTRACT_ANCHOR = 'refusals-of-the-contract'
