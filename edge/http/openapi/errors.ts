import { ERROR_NAMES, type ErrorStatus } from '../../../shared/errors/error-names.ts'
import { stringHeader, jsonContent } from '../../../shared/openapi/document.ts'

export const headers = {
  'x-request-id': stringHeader('Identifies this request in error reports.'),
  'x-svc-error': stringHeader('The reason for the error, if it is more specific than `error`.'),
  'x-total-count': stringHeader('Number of records in the complete list.'),
  'retry-after': stringHeader('Seconds to wait before sending the request again.'),
  'www-authenticate': stringHeader('The authentication scheme, `Bearer`.'),
  allow: stringHeader('The methods allowed on this path.'),
  link: stringHeader('The next page (rel="next"). Absent on the last page.'),
  location: stringHeader('The URL of the created resource.'),
}
export type HeaderName = keyof typeof headers

export const headerReferences = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const MEANINGS: Partial<Record<ErrorStatus, string>> = {
  400: 'The body is not JSON, or the Idempotency-Key is malformed.',
  401: 'The token is missing, unknown, expired or revoked, or its approval request was refused, locked or has expired; see `reason`.',
  403: 'The token lacks the required scope (`insufficient_scope`), or the form was sent from another site.',
  404: 'The resource does not exist, or belongs to another user.',
  405: 'The method is not allowed on this path.',
  409: 'The current state does not allow this; see `reason`.',
  413: 'The body is too large.',
  415: 'The content type is not JSON.',
  422: 'A field is unknown, missing or invalid, or the Idempotency-Key was used with a different body; the message names it.',
  429: 'Too many requests, or the trigger’s queue is full.',
  500: 'Internal server error.',
  503: 'Part of the service is unavailable, or the trigger is disabled. Nothing was stored.',
}

const MORE_HEADERS: Partial<Record<ErrorStatus, HeaderName>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
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
