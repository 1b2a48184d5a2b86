/** The wire form of a failure, and the name that the specification gives each status ("Errors"). */
import type { ErrorCode } from './error-codes.ts'

export const ERROR_NAMES = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  421: 'misdirected_request',
  422: 'unprocessable_entity',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'service_unavailable',
} as const

export type ErrorStatus = keyof typeof ERROR_NAMES

/** A structured error body (specification, Errors 1): `error` names the class, `fix` says what to do. */
export type StructuredError = { error: string; message: string; fix: string; docs_url: string }

export type ApiErrorOptions = {
  /** Replaces the status' own name where a more exact one helps a client to branch. */
  error?: ErrorCode
  headers?: Record<string, string>
}

/**
 * A failure that has a status and a text for the caller. Domain code throws errors of its own; the one
 * mapping on each side (`edge/http/failure.ts`, `origin/http/failure.ts`) turns them into this.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  readonly error: ErrorCode
  readonly headers: Record<string, string>

  constructor(status: ErrorStatus, message: string, fix: string, options: ApiErrorOptions = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.fix = fix
    this.error = options.error ?? ERROR_NAMES[status]
    this.headers = options.headers ?? {}
  }

  /** The wire form. @param publicUrl of the service, which serves the page that explains it */
  toBody(publicUrl: string): StructuredError {
    const docs = new URL(`${ERRORS_PATH}#${this.error}`, publicUrl)
    return { error: this.error, message: this.message, fix: this.fix, docs_url: docs.href }
  }
}

/** Both services serve `docs/errors.md` here; each word has its anchor. */
export const ERRORS_PATH = '/docs/errors'
