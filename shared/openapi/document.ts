import { ERROR_NAMES, type ErrorStatus } from '../errors/error-names.ts'

export type OpenApiOperation = { responses: Record<string, object>; [field: string]: unknown }
export type OpenApiPaths = Record<string, Record<string, OpenApiOperation>>
export type OpenApiDocument = { paths: OpenApiPaths; [field: string]: unknown }

export const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

export const errorSchema = {
  type: 'object',
  required: ['error', 'message', 'fix', 'docs_url'],
  properties: {
    error: { type: 'string', description: 'The class of the error; one per status.' },
    reason: {
      type: 'string',
      description:
        'A more specific reason, if any, such as `out_of_credits` for `payment_required`. Also sent in the header `x-svc-error`.',
    },
    message: { type: 'string' },
    fix: { type: 'string', description: 'How to fix it.' },
    docs_url: { type: 'string' },
    line: {
      type: 'integer',
      description: 'For `source_does_not_compile`: the line in the source. The first line is 1.',
    },
    column: {
      type: 'integer',
      description: 'The character in that line. The first character is 1.',
    },
  },
}

export const stringHeader = (description: string) => ({ description, schema: { type: 'string' } })

export function jsonContent(schema: object, example?: unknown): object {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

export function failureResponses(...statuses: ErrorStatus[]): Record<string, object> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${ERROR_NAMES[status]}` }]),
  )
}
