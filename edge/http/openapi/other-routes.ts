import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import {
  failureResponses,
  type OpenApiOperation,
  jsonContent,
  type OpenApiPaths,
} from '../../../shared/openapi/document.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { z } from 'zod'
import { buildFields } from '../../../shared/wire/build.ts'
import { agentRequestResponse, agentRequestBody } from '../../../shared/wire/agent.ts'
import { queuedResponse } from '../../../shared/wire/run.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { HEALTH_PATH, METRICS_PATH, METRICS_TYPE } from '../../../shared/wire/monitoring-paths.ts'
import {
  OPERATOR_PATH,
  operatorActionRecord,
  operatorRequest,
  operatorResponse,
} from '../../../shared/wire/operator.ts'
import { REASONS } from '../../health/reasons.ts'
import { NOT_CONFIGURED } from '../not-configured.ts'
import { DOCUMENT_PATHS, GUIDE_PATH, INDEX_PATH, LLMS_PATH } from '../../skill/documents.ts'
import { headerReferences } from './errors.ts'
import { idParameters } from './page-descriptions.ts'

const webhookId = idParameters(
  'The trigger ID. The full URL is `webhook_url` in the trigger’s record.',
)

const OPERATOR_AUTHORIZATION = [
  {
    name: 'Authorization',
    in: 'header',
    required: true,
    description: '`Bearer` followed by the value of the setting `OPERATOR_TOKEN`.',
    schema: { type: 'string' },
  },
]

const nullable = (type: string) => ({ type: [type, 'null'] })

const healthReasons = (codes: readonly string[]) => ({
  type: 'array',
  items: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { enum: codes }, message: { type: 'string' } },
  },
})

/** Fields about the origin may be null if the origin is not verified. */
const HEALTH = {
  type: 'object',
  required: ['status', 'reasons', 'version', 'commit', 'origin'],
  properties: {
    status: { enum: ['ok', 'degraded', 'down'] },
    reasons: healthReasons(REASONS),
    ...(jsonSchemaOf(z.object(buildFields), 'output').properties as object),
    origin: {
      type: 'object',
      properties: {
        trust: { enum: ['hardware', 'simulated'] },
        verdict: { enum: ['HARDWARE', 'SIMULATED', null] },
        verified_at: nullable('string'),
        verified_until: nullable('string'),
        root: nullable('object'),
        tcb_status: nullable('string'),
        app_id: nullable('string'),
        compose_hash: nullable('string'),
        measurements: nullable('object'),
        reason: { type: 'string' },
      },
    },
  },
}

/** Body of `/health` if the deployment is not configured. */
const HEALTH_NOT_CONFIGURED = {
  type: 'object',
  required: ['status', 'reasons', 'settings'],
  properties: {
    status: { const: 'down' },
    reasons: healthReasons([NOT_CONFIGURED]),
    settings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'fault'],
        properties: { name: { type: 'string' }, fault: { type: 'string' } },
      },
    },
  },
}

function documentRoute(path: string): OpenApiOperation {
  const type = { md: 'text/markdown', txt: 'text/plain' }[path.split('.').at(-1)!]
  return {
    operationId: `read_${path
      .toLowerCase()
      .match(/[a-z]+/g)!
      .join('_')}`,
    summary: DOCUMENT_SUMMARIES[path] ?? 'Part of the guide for agents.',
    security: [],
    responses: {
      200: { description: 'The document.', content: { [type ?? 'application/json']: {} } },
      304: { description: 'The client already has the current version.' },
      ...failureResponses(500),
    },
  }
}

const DOCUMENT_SUMMARIES: Record<string, string> = {
  [GUIDE_PATH]: 'The guide for agents, in the Agent Skills format.',
  [LLMS_PATH]: 'An index of the documentation for language models.',
  [INDEX_PATH]: 'The index of guides (Agent Skills Discovery 0.2.0).',
}

export const otherRoutes: OpenApiPaths = {
  ...Object.fromEntries(DOCUMENT_PATHS.map((path) => [path, { get: documentRoute(path) }])),
  [SEALED_EXECUTE_PATH]: {
    post: {
      operationId: 'sealed_execute',
      summary:
        'Executes a request that the client sealed to the origin’s channel key. The edge forwards it without reading it.',
      security: [],
      requestBody: { required: true, content: { [SEALED_CONTENT_TYPE]: {} } },
      responses: {
        200: {
          description: 'The sealed response, which only the sender can open.',
          content: { [SEALED_CONTENT_TYPE]: {} },
        },
        ...failureResponses(400, 403, 413, 415, 429, 500, 503),
        421: {
          description:
            'The request is sealed to a key that the origin does not have. Verify the origin again to get its current key.',
        },
      },
    },
  },
  '/webhook/{id}': {
    post: {
      operationId: 'fire_webhook',
      summary:
        'Starts a run. The body is stored byte for byte. Senders are authenticated only if the trigger has `options.source`.',
      security: [],
      parameters: webhookId,
      requestBody: { required: false, content: { '*/*': {} } },
      responses: {
        202: {
          description: 'The run is stored durably.',
          headers: headerReferences('x-request-id'),
          content: jsonContent({
            ...jsonSchemaOf(queuedResponse, 'output'),
            properties: {
              ...(jsonSchemaOf(queuedResponse, 'output').properties as object),
              duplicate: {
                const: true,
                description:
                  'Present if this delivery was accepted before. `run_id` names its run.',
              },
            },
          }),
        },
        200: {
          description:
            'The response to a handshake of the type in `options.handshake`, or the response of the action if `options.respond` is `run`. The action can choose another status.',
        },
        502: {
          description:
            'If `options.respond` is `run`: the run failed. The body is `{run_id, status: "failed"}`.',
        },
        ...failureResponses(400, 401, 404, 413, 429, 500, 503),
      },
    },
    get: {
      operationId: 'webhook_handshake',
      summary: 'Answers the handshake of a sender that verifies this URL.',
      security: [],
      parameters: webhookId,
      responses: {
        200: { description: 'The value that the sender expects.' },
        ...failureResponses(404, 405, 500, 503),
      },
    },
    options: {
      operationId: 'webhook_options',
      summary: 'Answers handshakes that use OPTIONS.',
      security: [],
      parameters: webhookId,
      responses: {
        200: {
          description: 'The allowed methods, and the headers of the handshake.',
          headers: headerReferences('allow'),
        },
        ...failureResponses(404, 500, 503),
      },
    },
  },
  '/agent/requests': {
    post: {
      operationId: 'register_agent_request',
      summary:
        'Registers the label of an agent before a person opens the link. The page then shows the label and asks for the code. Optional; valid for ten minutes.',
      security: [],
      requestBody: {
        required: true,
        content: jsonContent(jsonSchemaOf(agentRequestBody, 'input')),
      },
      responses: {
        201: {
          description: 'Registered. The code is returned only once: show it to the person.',
          headers: headerReferences('x-request-id'),
          content: jsonContent(jsonSchemaOf(agentRequestResponse, 'output')),
        },
        ...failureResponses(400, 409, 413, 415, 422, 429, 500, 503),
      },
    },
  },
  [METRICS_PATH]: {
    get: {
      operationId: 'metrics',
      summary: 'Returns the edge’s metrics in the Prometheus text format, for its operator.',
      security: [],
      parameters: [
        {
          name: 'Authorization',
          in: 'header',
          required: true,
          description: '`Bearer` followed by the value of the setting `METRICS_TOKEN`.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'Done.', content: { [METRICS_TYPE]: {} } },
        ...failureResponses(401, 404, 500),
      },
    },
  },
  [OPERATOR_PATH]: {
    get: {
      operationId: 'operator_log',
      summary: 'Returns the latest 200 rows of the audit log of operators, newest first.',
      security: [],
      parameters: OPERATOR_AUTHORIZATION,
      responses: {
        200: {
          description: 'Done.',
          content: jsonContent(jsonSchemaOf(z.array(operatorActionRecord), 'output')),
        },
        ...failureResponses(401, 404, 429, 500, 503),
      },
    },
    post: {
      operationId: 'operator_command',
      summary:
        'Performs a command of an operator, and records it in the audit log. With `dry_run`, returns only the plan.',
      security: [],
      parameters: OPERATOR_AUTHORIZATION,
      requestBody: {
        required: true,
        content: jsonContent(jsonSchemaOf(operatorRequest, 'input')),
      },
      responses: {
        200: {
          description: 'Done.',
          content: jsonContent(jsonSchemaOf(operatorResponse, 'output')),
        },
        ...failureResponses(400, 401, 404, 409, 413, 415, 422, 429, 500, 503),
      },
    },
  },
  [HEALTH_PATH]: {
    get: {
      operationId: 'health',
      summary:
        'Returns the health of this service with reasons, and the result of verifying its origin.',
      security: [],
      responses: {
        200: {
          description: 'The service works: `ok`, or `degraded` if something needs attention.',
          content: jsonContent(HEALTH),
        },
        ...failureResponses(500),
        503: {
          description:
            'The service is `down`: it accepts webhooks, but nothing else works. If it has faulty settings, it names them and serves nothing.',
          content: jsonContent({ anyOf: [HEALTH, HEALTH_NOT_CONFIGURED] }),
        },
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'Returns this OpenAPI document.',
      security: [],
      responses: {
        200: { description: 'An OpenAPI 3.1 document.', content: jsonContent({ type: 'object' }) },
        ...failureResponses(500),
      },
    },
  },
}
