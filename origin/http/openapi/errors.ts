import { ERROR_NAMES, type ErrorStatus } from '../../../shared/errors/error-names.ts'
import { stringHeader } from '../../../shared/openapi/document.ts'
import { RECEIPT_HEADER } from '../../../shared/wire/header-names.ts'

const structured = { $ref: '#/components/schemas/Error' }

export const responseHeaders = {
  'x-request-id': stringHeader('Identifies this request in error reports.'),
  'x-svc-error': stringHeader(
    'The reason of a failure. Always present if the body is a JSON string; with a structured error, present if it is more specific than `error`.',
  ),
  [RECEIPT_HEADER]: stringHeader(
    'The signed receipt of an execution that ran and failed, as a compact JWS.',
  ),
  'retry-after': stringHeader('Seconds to wait before retrying the request.'),
  'x-total-count': stringHeader('Total number of records in the list.'),
}

/** Statuses that can have a string as their body, for a failed execution or a write that the contract rejected. */
const CAN_BE_TEXT = new Set<ErrorStatus>([400, 404, 409, 500])
const HAS_RETRY_AFTER = new Set<ErrorStatus>([429, 503])
/** Statuses that can include a receipt, because an execution failed or was stopped. */
const CAN_HAVE_RECEIPT = new Set<ErrorStatus>([402, 429, 500, 503])

const MEANINGS: Record<ErrorStatus, string> = {
  400: 'Invalid JSON, a value of the wrong shape, or a write that the contract rejected.',
  401: 'The key is missing or does not resolve to an account, or the signing wallet is not the admin of an account.',
  402: 'The account does not have enough credits for the operation.',
  403: 'The key does not have the permission for this operation.',
  404: 'Unknown endpoint or resource. A string if a write refers to something that the account does not have.',
  405: 'The path does not support this method.',
  408: 'The request did not arrive in time.',
  409: 'The resource already exists, the Idempotency-Key is in use, or the payment is pending or failed.',
  413: 'The body is too large.',
  415: 'The content type is not JSON.',
  417: 'An unsupported Expect header.',
  421: 'Sealed to a key that this origin does not have.',
  422: 'A field is missing or has the wrong type, or the Idempotency-Key was used with a different body.',
  429: 'Too many requests, or the node is overloaded. Retry with exponential backoff.',
  431: 'The URL and the headers are too large in total.',
  500: 'A failed execution (a string, with the code in x-svc-error), or an internal error.',
  503: 'The chain, the database, the runtime or the payment processor is unavailable. Nothing was charged.',
}

export const coreErrorResponses = Object.fromEntries(
  Object.entries(ERROR_NAMES).map(([code, name]) => [name, response(Number(code) as ErrorStatus)]),
)

function response(status: ErrorStatus): object {
  const ref = (name: keyof typeof responseHeaders) => ({
    [name]: { $ref: `#/components/headers/${name}` },
  })
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
