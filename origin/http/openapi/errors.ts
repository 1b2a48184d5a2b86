/** The two forms of error responses, structured and text, for the OpenAPI document. */
import { ERROR_NAMES, type ErrorStatus } from '../../../shared/errors.ts'
import { headerOf } from '../../../shared/openapi/document.ts'
import { RECEIPT_HEADER } from '../../../shared/receipt-header.ts'

const structured = { $ref: '#/components/schemas/Error' }

export const headers = {
  'x-request-id': headerOf('Names this request in reports.'),
  'x-svc-error': headerOf(
    'The reason of a failure: of a JSON string always, of a structured error where it is finer than `error`.',
  ),
  [RECEIPT_HEADER]: headerOf(
    'Of an execution that ran and failed: its signed receipt, a JWS in compact form.',
  ),
  'retry-after': headerOf('Seconds to wait before the request is sent again.'),
  'x-total-count': headerOf('Records in the whole list.'),
}

/** Statuses whose body can be a JSON string: a failed execution, or a write that the contract rejected. */
const CAN_BE_TEXT = new Set<ErrorStatus>([400, 404, 409, 500])
const HAS_RETRY_AFTER = new Set<ErrorStatus>([429, 503])
/** Statuses of an execution that failed or was stopped. */
const CAN_HAVE_RECEIPT = new Set<ErrorStatus>([402, 429, 500, 503])

const MEANINGS: Record<ErrorStatus, string> = {
  400: 'Not JSON, a value of the wrong shape, or a write that the contract refused.',
  401: 'No key was sent, or it resolves to no account; or the wallet that signed is not the admin of one.',
  402: 'The credits of the account do not cover the operation.',
  403: 'The key may not do this.',
  404: 'No such endpoint or resource; a string where a write names what the account does not have.',
  405: 'Another method is meant.',
  408: 'The request did not arrive in time.',
  409: 'It exists already, the Idempotency-Key is in use, or the payment is pending or has failed.',
  413: 'The body is too large.',
  415: 'The body is not said to be JSON.',
  417: 'An unknown Expect header.',
  421: 'Sealed to a key that this origin has not.',
  422: 'JSON of the wrong type, a missing field, or an Idempotency-Key of another body.',
  429: 'Too many requests, or the node is shedding load: retry with growing waits.',
  431: 'The URL and the headers are too large together.',
  500: 'A failed execution (a string, with the code in x-svc-error), or a failure of the server.',
  503: 'The chain, the database, the runtime or the payment processor is away. Nothing was charged.',
}

export const errorResponses = Object.fromEntries(
  Object.entries(ERROR_NAMES).map(([code, name]) => [name, response(Number(code) as ErrorStatus)]),
)

export function errorReference(status: ErrorStatus): object {
  return { $ref: `#/components/responses/${ERROR_NAMES[status]}` }
}

function response(status: ErrorStatus): object {
  const ref = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } })
  const isText = CAN_BE_TEXT.has(status)
  return {
    description: MEANINGS[status],
    headers: {
      ...ref('x-request-id'),
      ...ref('x-svc-error'),
      ...(HAS_RETRY_AFTER.has(status) ? ref('retry-after') : {}),
      ...(CAN_HAVE_RECEIPT.has(status) ? ref(RECEIPT_HEADER) : {}),
    },
    content: {
      'application/json': {
        schema: isText ? { oneOf: [structured, { type: 'string' }] } : structured,
      },
    },
  }
}
