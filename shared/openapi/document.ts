/** Building blocks of both services' OpenAPI 3.1 descriptions. */

/** An OpenAPI operation: one method of one path. Declares only the fields that are read here. */
export type Description = { responses: Record<string, object>; [field: string]: unknown }
export type Paths = Record<string, Record<string, Description>>
export type OpenApiDocument = { paths: Paths; [field: string]: unknown }

export const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** A structured error response. */
export const errorSchema = {
  type: 'object',
  required: ['error', 'message', 'fix', 'docs_url'],
  properties: {
    error: { type: 'string', description: 'The class of the failure, one for each status.' },
    reason: {
      type: 'string',
      description:
        'A finer reason, where there is one: `out_of_credits` within `payment_required`. The header `x-svc-error` has it too.',
    },
    message: { type: 'string' },
    fix: { type: 'string', description: 'What to do about it.' },
    docs_url: { type: 'string' },
  },
}

export const headerOf = (description: string) => ({ description, schema: { type: 'string' } })

export function jsonContent(schema: object, example?: unknown): object {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}
