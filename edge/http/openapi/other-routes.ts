/**
 * Routes for programs other than `/api`: webhooks, the guide for agents, health, metrics, and the OpenAPI document
 * itself.
 */
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { type Description, jsonContent, type Paths } from '../../../shared/openapi/document.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { agentRequestAnswer, agentRequestBody } from '../../../shared/wire/agent.ts'
import { queuedAnswer } from '../../../shared/wire/run.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { HEALTH_PATH, METRICS_PATH, METRICS_TYPE } from '../../../shared/wire/operating.ts'
import { REASONS } from '../../health/reasons.ts'
import { DOCUMENT_PATHS, GUIDE_PATH, INDEX_PATH, LLMS_PATH } from '../../skill/documents.ts'
import { headerReferences } from './errors.ts'
import { failures, idOf } from './page-descriptions.ts'

const webhookId = idOf('The trigger’s id: webhook_url in its record is the whole address.')

const nullable = (type: string) => ({ type: [type, 'null'] })

/** Schema of `GET /health`. Null values are unverified. */
const HEALTH = {
  type: 'object',
  required: ['status', 'reasons', 'origin'],
  properties: {
    status: { enum: ['ok', 'degraded', 'down'] },
    reasons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { enum: REASONS }, message: { type: 'string' } },
      },
    },
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

/** Describes a public document for agents. */
function documentRoute(path: string): Description {
  const type = { md: 'text/markdown', txt: 'text/plain' }[path.split('.').at(-1)!]
  return {
    operationId: `read_${path
      .toLowerCase()
      .match(/[a-z]+/g)!
      .join('_')}`,
    summary: DOCUMENT_SUMMARIES[path] ?? 'A part of the guide for agents.',
    security: [],
    responses: {
      200: { description: 'The text.', content: { [type ?? 'application/json']: {} } },
      304: { description: 'The client has this text.' },
      ...failures(500),
    },
  }
}

const DOCUMENT_SUMMARIES: Record<string, string> = {
  [GUIDE_PATH]: 'The guide for agents, in the Agent Skills format.',
  [LLMS_PATH]: 'What there is to read here, for language models.',
  [INDEX_PATH]: 'The index of guides (Agent Skills Discovery 0.2.0).',
}

export const otherRoutes: Paths = {
  ...Object.fromEntries(DOCUMENT_PATHS.map((path) => [path, { get: documentRoute(path) }])),
  [SEALED_EXECUTE_PATH]: {
    post: {
      operationId: 'sealed_execute',
      summary: 'Executes what a client sealed to the origin’s channel key; passed on unread.',
      security: [],
      requestBody: { required: true, content: { [SEALED_CONTENT_TYPE]: {} } },
      responses: {
        200: {
          description: 'The sealed answer, which its sender alone can open.',
          content: { [SEALED_CONTENT_TYPE]: {} },
        },
        ...failures(400, 403, 413, 415, 429, 500, 503),
        421: { description: 'Sealed to a key that the origin does not have: verify it anew.' },
      },
    },
  },
  '/webhook/{id}': {
    post: {
      operationId: 'fire_webhook',
      summary: 'Fires a run. The body is kept byte for byte; nobody is authenticated here.',
      security: [],
      parameters: webhookId,
      requestBody: { required: false, content: { '*/*': {} } },
      responses: {
        202: {
          description: 'The run is on disk.',
          headers: headerReferences('x-request-id'),
          content: jsonContent({
            ...jsonSchemaOf(queuedAnswer, 'output'),
            properties: {
              ...(jsonSchemaOf(queuedAnswer, 'output').properties as object),
              duplicate: { const: true, description: 'This delivery had its run already.' },
            },
          }),
        },
        200: { description: 'The answer to a handshake that `options.handshake` names.' },
        ...failures(400, 404, 413, 429, 500, 503),
      },
    },
    get: {
      operationId: 'webhook_handshake',
      summary: 'Answers senders that ask whether this address expects their events.',
      security: [],
      parameters: webhookId,
      responses: {
        200: { description: 'What the sender wants to see again.' },
        ...failures(404, 405, 500, 503),
      },
    },
    options: {
      operationId: 'webhook_options',
      summary: 'The same, for senders that ask with OPTIONS.',
      security: [],
      parameters: webhookId,
      responses: {
        200: { description: 'What is granted.', headers: headerReferences('allow') },
        ...failures(404, 500, 503),
      },
    },
  },
  '/agent/requests': {
    post: {
      operationId: 'register_agent_request',
      summary:
        'Says who asks, before a person opens the link: the page then shows the label and asks for the code. Optional; good for ten minutes.',
      security: [],
      requestBody: {
        required: true,
        content: jsonContent(jsonSchemaOf(agentRequestBody, 'input')),
      },
      responses: {
        201: {
          description: 'Registered. The code is given once: show it to the person.',
          headers: headerReferences('x-request-id'),
          content: jsonContent(jsonSchemaOf(agentRequestAnswer, 'output')),
        },
        ...failures(400, 409, 413, 415, 422, 429, 500, 503),
      },
    },
  },
  [METRICS_PATH]: {
    get: {
      operationId: 'metrics',
      summary: 'What the edge counts, as Prometheus reads it; for its operator.',
      security: [],
      parameters: [
        {
          name: 'Authorization',
          in: 'header',
          required: true,
          description: '`Bearer` and the token of the setting `METRICS_TOKEN`.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'Done.', content: { [METRICS_TYPE]: {} } },
        ...failures(401, 404, 500),
      },
    },
  },
  [HEALTH_PATH]: {
    get: {
      operationId: 'health',
      summary: 'Whether this service can do its work, why not, and what it verified of its origin.',
      security: [],
      responses: {
        200: {
          description: 'It answers: `ok`, or `degraded` where somebody should look.',
          content: jsonContent(HEALTH),
        },
        ...failures(500),
        503: {
          description: 'It is `down`: webhooks are taken, and nothing else is answered.',
          content: jsonContent(HEALTH),
        },
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'This description.',
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1.', content: jsonContent({ type: 'object' }) },
        ...failures(500),
      },
    },
  },
}
