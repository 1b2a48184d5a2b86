/** Builds the OpenAPI descriptions of pages, forms and script requests. */
import type { ErrorStatus } from '../../../shared/errors.ts'
import { type Description, jsonContent } from '../../../shared/openapi/document.ts'
import { errorReference } from './errors.ts'

export const failures = (...statuses: ErrorStatus[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorReference(status)]))

export const idOf = (description: string) => [
  { name: 'id', in: 'path', required: true, description, schema: { type: 'string' } },
]

export function page(summary: string, operationId: string, more: object = {}): Description {
  return {
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'A page for people.', content: { 'text/html': {} } },
      ...failures(500),
      ...more,
    },
  }
}

/** Describes a document. A name that ends in `.md` returns the Markdown source. */
export function documentPage(operationId: string, names: string[]): Description {
  return {
    ...page('A document as a page, or as Markdown where its name ends in .md.', operationId, {
      200: { description: 'It.', content: { 'text/html': {}, 'text/markdown': {} } },
      ...failures(404),
    }),
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  }
}

export function form(summary: string, operationId: string, fields: readonly string[]): Description {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]))
  return {
    ...page(summary, operationId, {
      303: { description: 'Goes on to the next page.' },
      ...Object.fromEntries(
        [400, 403, 404, 409, 410, 413, 415, 429, 503].map((status) => [
          status,
          { description: 'A page that says why not.', content: { 'text/html': {} } },
        ]),
      ),
    }),
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
    },
  }
}

/** Describes a POST by a page's script. Requests from other sites are rejected. */
export function ofOwnPage(
  summary: string,
  operationId: string,
  { success = 200, refusals = [] }: { success?: 200 | 201; refusals?: ErrorStatus[] } = {},
): Description {
  return {
    operationId,
    summary: `${summary} For this service’s own pages.`,
    security: [],
    requestBody: { required: true, content: jsonContent({ type: 'object' }) },
    responses: {
      [success]: { description: 'Done.', content: jsonContent({ type: 'object' }) },
      ...failures(400, 403, 413, 415, 422, 429, 500, 503, ...refusals),
    },
  }
}

/** Describes a GET by a page's script, which requires a session. */
export function readOfOwnPage(
  summary: string,
  operationId: string,
  parameters: ReturnType<typeof idOf>,
): Description {
  return {
    operationId,
    summary: `${summary} For this service’s own pages.`,
    security: [],
    parameters,
    responses: {
      200: { description: 'It.', content: jsonContent({ type: 'object' }) },
      ...failures(401, 403, 404, 422, 500, 503),
    },
  }
}

export function script(operationId: string): Description {
  return {
    operationId,
    summary: 'A script of this service’s own pages.',
    security: [],
    responses: {
      200: { description: 'The script.', content: { 'text/javascript': {} } },
      ...failures(500),
    },
  }
}
