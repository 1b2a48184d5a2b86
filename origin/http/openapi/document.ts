/** The OpenAPI 3.1 description of the core API, made from the operations themselves. */
import { API_VERSION, VERSION } from '../../version.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../page.ts'
import { errorReference, errorResponses, errorSchema, headers } from './errors.ts'
import { examples } from './examples.ts'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import { otherRoutes } from './other-routes.ts'
import { failureStatuses } from './statuses.ts'

/** What is said of one method at one path; OpenAPI has more fields than anything here reads. */
export type Description = { responses: Record<string, object>; [field: string]: unknown }
export type Paths = Record<string, Record<string, Description>>
export type OpenApiDocument = { paths: Paths; [field: string]: unknown }

/** @param publicUrl where clients reach this origin */
export function openApiDocument(
  operations: readonly Operation<any, any>[],
  publicUrl: string,
): OpenApiDocument {
  const described = operations.map((operation) => [
    operation.path,
    { [operation.method.toLowerCase()]: describe(operation) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc core API',
      version: API_VERSION,
      description: `Accounts, wallets, groups, usage keys and executions (software ${VERSION}).`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    components: {
      schemas: { Error: errorSchema },
      responses: errorResponses,
      headers,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        Bearer: { type: 'http', scheme: 'bearer' },
      },
    },
    paths: { ...Object.fromEntries(described), ...otherRoutes },
  }
}

function describe(operation: Operation<any, any>): Description {
  const { path, summary, auth, body } = operation
  const failures = failureStatuses(operation).map((status) => [status, errorReference(status)])
  return {
    operationId: path.slice(1).replaceAll(/[^a-z0-9]+/gi, '_'),
    summary,
    security: auth === 'none' ? [] : [{ ApiKey: [] }, { Bearer: [] }],
    parameters: [...headerParameters(operation), ...queryParameters(operation)],
    ...(body
      ? {
          requestBody: {
            required: body.optional !== true,
            content: json(jsonSchemaOf(body.schema, 'input'), examples[path]?.request),
          },
        }
      : {}),
    responses: { 200: success(operation), ...Object.fromEntries(failures) },
  }
}

function success({ path, answer, list }: Operation<any, any>): object {
  const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })
  return {
    description: 'Done.',
    headers: { ...header('x-request-id'), ...(list ? header('x-total-count') : {}) },
    content: json(jsonSchemaOf(answer, 'output'), examples[path]?.answer),
  }
}

function json(schema: JsonSchema, example: unknown): object {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

/** Operations without a key ignore the header, `new_account` among them. */
function headerParameters({ method, auth }: Operation<any, any>): object[] {
  if (method !== 'POST' || auth === 'none') return []
  const description =
    'A random id of yours. The first answer under it is given again for 24 hours, so that the request can be repeated safely.'
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }]
}

function queryParameters({ query, list }: Operation<any, any>): object[] {
  return [query, list ? pageQuery : undefined].flatMap((schema) => {
    if (!schema) return []
    const { properties = {}, ...rest } = jsonSchemaOf(schema, 'input')
    const required = requiredIn(rest)
    return Object.entries(properties as Record<string, JsonSchema>).map(
      ([name, { description, ...type }]) => ({
        name,
        in: 'query',
        required: required.has(name),
        ...(description === undefined ? {} : { description }),
        schema: type,
      }),
    )
  })
}

type Presence = { required?: string[]; anyOf?: Presence[]; allOf?: Presence[] }

/** Names that have to be there. Of several spellings it is the first: a parameter can not say `this or that`. */
function requiredIn({ required = [], anyOf = [], allOf = [] }: Presence): Set<string> {
  const parts = [...allOf, ...anyOf.slice(0, 1)]
  return new Set([...required, ...parts.flatMap((part) => [...requiredIn(part)])])
}
