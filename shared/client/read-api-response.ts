import { RESPONSE_MAX_BYTES } from './limits.ts'
import {
  type ErrorNames,
  REASON_HEADER,
  type SourcePosition,
  errorReason,
} from '../errors/api-error.ts'
import { tryParseJson } from '../json/try-parse-json.ts'
import { mediaTypeOf } from '../network/media-type.ts'
import { RECEIPT_HEADER } from '../wire/header-names.ts'
import { readBoundedBody } from '../network/bounded-body.ts'
import { redactKeys, redactCredential } from './credential.ts'
import { SvcError } from './failures/svc-error.ts'
import { ActionFailed } from './failures/action-failed.ts'
import { errorForStatus } from './failures/by-status.ts'
import { NotTheApi } from './failures/transport-errors.ts'
import type { ClientResponse, Credential, ClientRequest } from './request.ts'

export type ReadResult =
  | { answered: ClientResponse<unknown> }
  | { failure: SvcError; wasExecuted: boolean }

/**
 * @param now Unix milliseconds, to interpret a `Retry-After` date
 * @throws the error of `fetch` if the connection breaks
 */
export async function readApiResponse(
  response: Response,
  { credential, wants = 'json' }: ClientRequest,
  now: number,
): Promise<ReadResult> {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const notFromApi = (what: string): ReadResult => ({
    failure: new NotTheApi(what, status, requestId),
    wasExecuted: false,
  })
  // The type is widened, because the type definitions of Cloudflare Workers lack the response type 'opaqueredirect'.
  const responseType: string = response.type
  if (responseType === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    return notFromApi('a redirect, which is not followed')
  }
  const bytes = await readBoundedBody(response, RESPONSE_MAX_BYTES)
  if (!bytes) return notFromApi('a response larger than the limit')
  const type = mediaTypeOf(headers.get('content-type'))
  const text = new TextDecoder().decode(bytes)
  const answered = (body: unknown): ReadResult => ({
    answered: { status, headers, body, requestId },
  })
  if (response.ok && wants === 'csv' && type === 'text/csv') return answered(text)
  if (status === 204) return answered(undefined)
  const json = isJson(type) ? tryParseJson(text) : undefined
  if (json === undefined) return notFromApi(/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'not JSON')
  if (response.ok) return answered(json)
  const failure = failureOf(json, { status, headers, requestId, credential, now })
  if (!failure) return notFromApi('JSON that is not an API error')
  return { failure, wasExecuted: headers.has(RECEIPT_HEADER) }
}

type ErrorResponseContext = {
  status: number
  headers: Headers
  requestId: string | undefined
  credential: Credential | undefined
  now: number
}

/**
 * Creates the error for a failed response. The body is a structured error, or a JSON string that reports a contract
 * revert or a failed action.
 */
function failureOf(
  body: unknown,
  { status, headers, requestId, credential, now }: ErrorResponseContext,
): SvcError | undefined {
  const named = headers.get(REASON_HEADER)
  const clean = (text: string) => redactKeys(text, credential)
  const facts = { status, requestId, retryAfterS: retryAfterOf(headers.get('retry-after'), now) }
  if (typeof body === 'string') {
    const receipt = headers.get(RECEIPT_HEADER) ?? undefined
    if (status === 500)
      return new ActionFailed(redactCredential(body, credential), {
        code: clean(named ?? 'action_failed'),
        requestId,
        receipt,
      })
    return errorForStatus(clean(body), { ...facts, code: clean(named ?? 'refused'), fix: FIX })
  }
  if (!isStructured(body)) return undefined
  const code = clean(named ?? errorReason(body))
  return errorForStatus(clean(body.message), {
    ...facts,
    code,
    fix: clean(body.fix),
    position: positionOf(body),
  })
}

function positionOf(body: object): SourcePosition | undefined {
  const { line, column } = body as Partial<SourcePosition>
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined
}

const FIX = 'Correct what the message names, and call again.'

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)
}

function isStructured(body: unknown): body is ErrorNames & { message: string; fix: string } {
  if (typeof body !== 'object' || body === null) return false
  const has = (name: string) => typeof Reflect.get(body, name) === 'string'
  return has('error') && has('message') && has('fix') && (has('reason') || !('reason' in body))
}

/**
 * Parses a `Retry-After` header that contains seconds or a date (RFC 9110, section 10.2.3). Returns seconds, or
 * undefined if the header is invalid.
 * @param now Unix milliseconds
 */
function retryAfterOf(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  // A date must start with a weekday name, because `Date.parse` accepts texts such as "-5".
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
