/** What the descriptions of both services are made of (OpenAPI 3.1). */

/** What is said of one method at one path; OpenAPI has more fields than anything here reads. */
export type Description = { responses: Record<string, object>; [field: string]: unknown }
export type Paths = Record<string, Record<string, Description>>
export type OpenApiDocument = { paths: Paths; [field: string]: unknown }

export const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** A structured failure (specification, Errors 1). */
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

/** A header whose value is text. */
export const headerOf = (description: string) => ({ description, schema: { type: 'string' } })

/** Content that is JSON of a schema. */
export function jsonContent(schema: object, example?: unknown): object {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}
