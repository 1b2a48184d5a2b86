import {
  type OpenApiOperation,
  errorSchema,
  failureResponses,
  jsonContent,
  LICENSE,
  type OpenApiDocument,
  type OpenApiPaths,
} from '../../../shared/openapi/document.ts'
import { idempotencyKeyParameter } from '../../../shared/openapi/idempotency-key.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { queryParameters } from '../../../shared/openapi/query-parameters.ts'
import { errorResponses, headerReferences, headers } from './errors.ts'
import type { AnyApiOperation } from '../api-operation.ts'
import { apiOperations } from '../api-operations.ts'
import { errorStatuses } from './error-statuses.ts'
import { mcpRoutes } from './mcp-routes.ts'
import { otherRoutes } from './other-routes.ts'
import { pageRoutes } from './page-routes.ts'

export function openApiDocument(publicUrl: string): OpenApiDocument {
  const api: OpenApiPaths = {}
  for (const operation of apiOperations)
    (api[operation.path] ??= {})[operation.method] = describe(operation)
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc trigger service',
      version: '1',
      description:
        'Webhooks, schedules and chain events that run actions. A person approves each token at /agent/authorize. The core API is forwarded at /core/v1/* and described by /core/v1/openapi.json. In requests, null in an optional field is the same as omitting the field; in a PATCH, the field keeps its value. Unknown query parameters are ignored.',
      license: LICENSE,
    },
    servers: [{ url: publicUrl }],
    externalDocs: { url: new URL('/core/v1/openapi.json', publicUrl).href },
    components: {
      schemas: { Error: errorSchema },
      responses: errorResponses,
      headers,
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
    },
    paths: { ...api, ...otherRoutes, ...mcpRoutes, ...pageRoutes },
  }
}

function describe(operation: AnyApiOperation): OpenApiOperation {
  const { path, id, summary, scope, query, body, success, idempotencyKey } = operation
  const named = /^\/api\/(trigger|run)s\/\{id\}/.exec(path)
  return {
    operationId: id,
    summary,
    // Since OpenAPI 3.1, the security requirements of any type of security scheme may list roles or scopes.
    security: [{ Bearer: scope === null ? [] : [scope] }],
    parameters: [
      ...(named ? [idParameter(named[1]!)] : []),
      ...(query ? queryParameters(query) : []),
      ...(idempotencyKey === undefined ? [] : [idempotencyKeyParameter(idempotencyKey)]),
    ],
    ...(body
      ? {
          requestBody: {
            required: body.optional !== true,
            content: jsonContent(jsonSchemaOf(body.schema, 'input')),
          },
        }
      : {}),
    responses: {
      [success.status]: {
        description: 'Done.',
        headers: headerReferences('x-request-id', ...(success.headers ?? [])),
        ...(success.schema ? { content: jsonContent(jsonSchemaOf(success.schema, 'output')) } : {}),
      },
      ...failureResponses(...errorStatuses(operation)),
    },
  }
}

function idParameter(of: string): object {
  const description = `The ${of} ID. IDs of other users return 404, like unknown ones.`
  return { name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }
}
