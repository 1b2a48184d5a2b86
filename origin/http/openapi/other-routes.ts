/** Routes other than the operations: files, pages, and the sealed channel. */
import {
  ATTESTATION_PATH,
  attestationSchema,
  EVIDENCES_PATH,
  INFO_PATH,
  infoSchema,
} from '../../../shared/attestation/evidence.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { HEALTH_PATH, METRICS_PATH, METRICS_TYPE } from '../../../shared/wire/operating.ts'
import { originHealthSchema } from '../../../shared/wire/origin-health.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { ERRORS_PATH, type ErrorStatus } from '../../../shared/errors.ts'
import { type Description, jsonContent, type Paths } from '../../../shared/openapi/document.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { errorReference } from './errors.ts'

const webhookAnswer = {
  type: 'object',
  properties: { received: { const: true } },
  required: ['received'],
}

const failures = (...statuses: ErrorStatus[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorReference(status)]))

/** @param types content types of the 200 response */
function read(summary: string, types: string[], more: object = {}): { get: Description } {
  const content = Object.fromEntries(types.map((type) => [type, {}]))
  const operationId = summary
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '')
  const responses = { 200: { description: 'Done.', content }, ...more }
  return { get: { operationId, summary, security: [], responses } }
}

function sealed(summary: string, operationId: string): { post: Description } {
  const binary = { [SEALED_CONTENT_TYPE]: {} }
  const description = 'A sealed answer; refusals after the envelope is open are sealed too.'
  return {
    post: {
      operationId,
      summary,
      security: [],
      requestBody: { required: true, content: binary },
      responses: {
        200: { description, content: binary },
        ...failures(400, 401, 408, 413, 421, 500, 503),
      },
    },
  }
}

const processorWebhook: { post: Description } = {
  post: {
    operationId: 'processor_webhook',
    summary: 'Events of the payment processor, by its signature over the exact bytes.',
    security: [],
    parameters: [
      { name: 'Stripe-Signature', in: 'header', required: true, schema: { type: 'string' } },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    responses: {
      200: {
        description: 'Taken, and the ledger is as the processor says.',
        content: { 'application/json': { schema: webhookAnswer } },
      },
      ...failures(400, 408, 413, 429, 500, 503),
    },
  },
}

const fileOfPage = read('A file of that page.', ['text/javascript', 'text/css', 'image/png'], {
  304: { description: 'Not changed.' },
  ...failures(404),
})
fileOfPage.get.parameters = [
  { name: 'file', in: 'path', required: true, schema: { type: 'string' } },
]

const attestation: { get: Description } = {
  get: {
    operationId: 'attestation',
    summary: 'The quote of the machine, whose report data is zero, with its event log.',
    security: [],
    parameters: [
      {
        name: 'nonce',
        in: 'query',
        required: false,
        description:
          'Hex of 1 to 64 bytes: a fresh quote, whose report data is SHA-512 of `svc/nonce/v1:` and the nonce.',
        schema: { type: 'string', pattern: '^(0x)?([0-9a-fA-F]{2}){1,64}$' },
      },
    ],
    responses: {
      200: {
        description: 'Done.',
        content: jsonContent(jsonSchemaOf(attestationSchema, 'output')),
      },
      ...failures(400, 429, 503),
    },
  },
}

const info: { get: Description } = {
  get: {
    operationId: 'info',
    summary: 'What the machine says of itself: the application, and the text that was measured.',
    security: [],
    responses: {
      200: { description: 'Done.', content: jsonContent(jsonSchemaOf(infoSchema, 'output')) },
      ...failures(503),
    },
  },
}

const evidenceFile = read(
  'A file of the evidence, byte for byte as its checksum is of.',
  ['application/json', 'text/plain', 'application/pem-certificate-chain'],
  failures(404, 503),
)
evidenceFile.get.parameters = [
  { name: 'file', in: 'path', required: true, schema: { type: 'string' } },
]

const healthAnswer = (description: string) => ({
  description,
  content: jsonContent(jsonSchemaOf(originHealthSchema, 'output')),
})

const health: { get: Description } = {
  get: {
    operationId: 'health',
    summary: 'Whether this origin can do its work, and why not.',
    security: [],
    responses: {
      200: healthAnswer('It answers: `ok`, or `degraded` where somebody should look.'),
      503: healthAnswer('It is `down`: requests are better sent elsewhere.'),
    },
  },
}

const metrics: { get: Description } = {
  get: {
    operationId: 'metrics',
    summary: 'What this process counts, as Prometheus reads it; for its operator.',
    security: [],
    parameters: [
      {
        name: 'Authorization',
        in: 'header',
        required: true,
        description: '`Bearer` and the token of the setting `SVC_METRICS_TOKEN`.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: { description: 'Done.', content: { [METRICS_TYPE]: {} } },
      ...failures(401, 404),
    },
  },
}

export const otherRoutes: Paths = {
  [PROCESSOR_WEBHOOK_PATH]: processorWebhook,
  '/core/v1/openapi.json': read('This description.', ['application/json']),
  '/core/v1/swagger-ui': read('This description; as a page for a browser.', [
    'application/json',
    'text/html',
  ]),
  '/core/v1/swagger-ui/{file}': fileOfPage,
  [ERRORS_PATH]: read('What each failure means; `docs_url` leads here.', [
    'text/html; charset=utf-8',
  ]),
  [ATTESTATION_PATH]: attestation,
  [INFO_PATH]: info,
  [EVIDENCES_PATH]: read(
    'The evidence that this origin is verified by, as a list of links.',
    ['text/html; charset=utf-8'],
    failures(503),
  ),
  [`${EVIDENCES_PATH}{file}`]: evidenceFile,
  [SEALED_EXECUTE_PATH]: sealed('Executes an action; sealed.', 'sealed_execute'),
  [SEALED_OUTCOMES_PATH]: sealed('What became of runs; sealed.', 'sealed_outcomes'),
  [SEALED_KEYS_PATH]: sealed('What a key is, for the edge; sealed.', 'sealed_keys'),
  [SEALED_HTTP_PATH]: sealed('A request that the edge passes on; sealed.', 'sealed_http'),
  [HEALTH_PATH]: health,
  [METRICS_PATH]: metrics,
}
