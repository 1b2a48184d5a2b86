/** The trigger service's error responses for the OpenAPI document. All of them have a structured body. */
import { ERROR_NAMES, type ErrorStatus } from '../../../shared/errors.ts'
import { headerOf, jsonContent } from '../../../shared/openapi/document.ts'

export const headers = {
  'x-request-id': headerOf('Names this request in reports.'),
  'x-svc-error': headerOf('The reason of a failure, where it is finer than `error`.'),
  'x-total-count': headerOf('Records in the whole list.'),
  'retry-after': headerOf('Seconds to wait before the request is sent again.'),
  'www-authenticate': headerOf('Bearer.'),
  allow: headerOf('The methods that this path has.'),
  link: headerOf('The next page, rel="next"; absent on the last.'),
  location: headerOf('Where what was made is.'),
}
export type HeaderName = keyof typeof headers

export const headerReferences = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const MEANINGS: Partial<Record<ErrorStatus, string>> = {
  400: 'The body is not JSON.',
  401: 'No approved token was sent: missing, unknown, expired or revoked; or its request was refused, locked or has expired, as the field `reason` says.',
  403: 'The token was not approved for this (`insufficient_scope`), or a page elsewhere sent this form.',
  404: 'There is no such thing, or it is somebody else’s.',
  405: 'The path has other methods.',
  409: 'It is not in a state for this; the field `reason` says which.',
  413: 'The body is too large.',
  415: 'The body is not said to be JSON.',
  422: 'A field that is unknown, missing or of a wrong value; the message names it.',
  429: 'Too many requests, or the trigger’s queue is full.',
  500: 'A failure of the server.',
  503: 'A part of the service is away, or the trigger is disabled. Nothing was stored.',
}

const MORE_HEADERS: Partial<Record<ErrorStatus, HeaderName>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
}

export function errorReference(status: ErrorStatus): object {
  return { $ref: `#/components/responses/${ERROR_NAMES[status]}` }
}

export const errorResponses = Object.fromEntries(
  Object.entries(MEANINGS).map(([code, description]) => {
    const status = Number(code) as ErrorStatus
    const more = MORE_HEADERS[status]
    const response = {
      description,
      headers: headerReferences('x-request-id', 'x-svc-error', ...(more ? [more] : [])),
      content: jsonContent({ $ref: '#/components/schemas/Error' }),
    }
    return [ERROR_NAMES[status], response]
  }),
)
