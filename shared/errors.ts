/** The wire form of a failure, and the name that the specification gives each status ("Errors"). */
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

/** Statuses whose `error` the specification fixes (core API, Errors). */
const SPECIFIED: ReadonlySet<ErrorStatus> = new Set([
  400, 401, 402, 403, 404, 422, 429, 500, 503,
] as const)

/** Published as `error` by the trigger service, and kept there (docs/decisions/0065). */
const PUBLISHED_AS_ERROR: ReadonlySet<ErrorCode> = new Set([
  'trigger_disabled',
  'chain_not_configured',
] as const)

/** Carries the reason of a failure that has a finer one than the name of its status. */
export const REASON_HEADER = 'x-svc-error'

/** A structured error body (specification, Errors 1): `error` names the class, `fix` says what to do. */
export type StructuredError = Named & { message: string; fix: string; docs_url: string }

/** `reason` is present only where it is finer than the name of the status. */
export type Named = { error: string; reason?: string | undefined }

/**
 * The finest name that a failure has. Releases before `reason` existed sent it as `error`, so this reads the answers
 * of an older edge or origin too.
 */
export function reasonOf({ error, reason }: Named): string {
  return reason ?? error
}

export type ApiErrorOptions = {
  /** A finer reason than the name of the status. */
  reason?: ErrorCode | undefined
  /** The name of the contract's error, in place of a reason of ours. */
  contractError?: string
  headers?: Record<string, string>
}

/**
 * A failure that has a status and a text for the caller. Domain code throws errors of its own; the one
 * mapping on each side (`edge/http/failure.ts`, `origin/http/failure.ts`) turns them into this.
 */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly fix: string
  /** The class of the failure: the name of the status, wherever the specification fixes it. */
  readonly error: string
  /** The finest name of the failure; equal to the name of the status where there is no finer one. */
  readonly reason: string
  /** With `x-svc-error`, where the reason is finer than the name of the status. */
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

  /** The names of the failure, as bodies and sealed refusals carry them. */
  get names(): Named {
    const { error, reason, status } = this
    return reason === ERROR_NAMES[status] ? { error } : { error, reason }
  }

  /** The wire form. @param publicUrl of the service, which serves the page that explains it */
  toBody(publicUrl: string): StructuredError {
    const docs = new URL(`${ERRORS_PATH}#${this.#anchor}`, publicUrl)
    return { ...this.names, message: this.message, fix: this.fix, docs_url: docs.href }
  }
}

/** Both services serve `docs/errors.md` here; each reason has its anchor. */
export const ERRORS_PATH = '/docs/errors'

/** The heading of the table that lists the contract's errors. */
const CONTRACT_ANCHOR = 'refusals-of-the-contract'
