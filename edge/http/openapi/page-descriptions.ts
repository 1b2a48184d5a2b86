import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import {
  failureResponses,
  type OpenApiOperation,
  jsonContent,
} from '../../../shared/openapi/document.ts'

export const idParameters = (description: string) => [
  { name: 'id', in: 'path', required: true, description, schema: { type: 'string' } },
]

export function pageDescription(
  summary: string,
  operationId: string,
  more: object = {},
): OpenApiOperation {
  return {
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'An HTML page.', content: { 'text/html': {} } },
      ...failureResponses(500),
      ...more,
    },
  }
}

export function documentDescription(operationId: string, names: string[]): OpenApiOperation {
  return {
    ...pageDescription(
      'Returns a document as an HTML page, or as Markdown if the name ends in .md.',
      operationId,
      {
        200: { description: 'The document.', content: { 'text/html': {}, 'text/markdown': {} } },
        ...failureResponses(404),
      },
    ),
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      description: name === 'folder' ? 'The folder of the document.' : 'The name of the document.',
      schema: { type: 'string' },
    })),
  }
}

export function formDescription(
  summary: string,
  operationId: string,
  fields: readonly string[],
): OpenApiOperation {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]))
  return {
    ...pageDescription(summary, operationId, {
      303: { description: 'Redirects to the next page.' },
      ...Object.fromEntries(
        [400, 403, 404, 409, 410, 413, 415, 429, 503].map((status) => [
          status,
          { description: 'A page that explains the error.', content: { 'text/html': {} } },
        ]),
      ),
    }),
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
    },
  }
}

/** The route rejects requests from other sites. */
export function internalPostDescription(
  summary: string,
  operationId: string,
  { success = 200, refusals = [] }: { success?: 200 | 201; refusals?: ErrorStatus[] } = {},
): OpenApiOperation {
  return {
    operationId,
    summary: `${summary} Used by this service’s own pages.`,
    security: [],
    requestBody: { required: true, content: jsonContent({ type: 'object' }) },
    responses: {
      [success]: { description: 'Done.', content: jsonContent({ type: 'object' }) },
      ...failureResponses(400, 403, 413, 415, 422, 429, 500, 503, ...refusals),
    },
  }
}

/** The route requires a session. */
export function internalGetDescription(
  summary: string,
  operationId: string,
  parameters: ReturnType<typeof idParameters>,
): OpenApiOperation {
  return {
    operationId,
    summary: `${summary} Used by this service’s own pages.`,
    security: [],
    parameters,
    responses: {
      200: { description: 'The current state.', content: jsonContent({ type: 'object' }) },
      ...failureResponses(401, 403, 404, 422, 500, 503),
    },
  }
}

export function scriptDescription(name: string): OpenApiOperation {
  return {
    operationId: `${name.replaceAll('-', '_')}_script`,
    summary: 'A script used by this service’s own pages.',
    security: [],
    responses: {
      200: { description: 'The script.', content: { 'text/javascript': {} } },
      ...failureResponses(500),
    },
  }
}
