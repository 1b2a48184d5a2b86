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
import { idParameters } from './page-descriptions.ts'
import { pageRoutes } from './page-routes.ts'

const ID_DESCRIPTIONS = {
  '/api/triggers/{id}': 'The trigger ID.',
  '/api/runs/{id}': 'The run ID.',
  '/api/replays/{id}': 'The ID of the bulk replay.',
  '/api/alerts/channels/{id}': 'The ID of the alert channel.',
  '/api/alerts/triggers/{id}': 'The trigger ID.',
  '/api/actions/{id}': 'The ID of the action.',
}

const VERSION_PARAMETER = {
  name: 'number',
  in: 'path',
  required: true,
  description: 'The number of the version.',
  schema: { type: 'string' },
}

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
  const idOf = Object.entries(ID_DESCRIPTIONS).find(([prefix]) => path.startsWith(prefix))
  return {
    operationId: id,
    summary,
    // Since OpenAPI 3.1, the security requirements of any type of security scheme may list roles or scopes.
    security: [{ Bearer: scope === null ? [] : [scope] }],
    parameters: [
      ...(idOf ? idParameters(`${idOf[1]} IDs of other users return 404, like unknown ones.`) : []),
      ...(path.includes('{number}') ? [VERSION_PARAMETER] : []),
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
