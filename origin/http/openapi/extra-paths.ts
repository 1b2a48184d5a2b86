import { z } from 'zod'
import {
  ATTESTATION_PATH,
  attestationSchema,
  EVIDENCE_BUNDLE_PATH,
  evidenceBundleResponseSchema,
  EVIDENCES_PATH,
  INFO_PATH,
  infoSchema,
} from '../../../shared/attestation/evidence.ts'
import { ENVIRONMENT_NAMES } from '../../../shared/config/environments.ts'
import { SEALED_LOGS_PATH } from '../../../shared/wire/sealed-logs.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { SEALED_RUNS_PATH } from '../../../shared/wire/sealed-runs.ts'
import { HEALTH_PATH, METRICS_PATH, METRICS_TYPE } from '../../../shared/wire/monitoring-paths.ts'
import { buildFields } from '../../../shared/wire/build.ts'
import { originHealthSchema } from '../../../shared/wire/origin-health.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_KEY_STATES_PATH } from '../../../shared/wire/sealed-key-states.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { SEALED_CONTENT_TYPE, SEALED_STREAM_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import { ERRORS_PATH } from '../../../shared/errors/api-error.ts'
import {
  type OpenApiOperation,
  failureResponses,
  jsonContent,
  type OpenApiPaths,
} from '../../../shared/openapi/document.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'

const webhookAnswer = {
  type: 'object',
  properties: { received: { const: true } },
  required: ['received'],
}

type GetDescription = {
  parameters?: object[]
  content: object
  failures?: ErrorStatus[]
  more?: object
}

function describeGet(
  operationId: string,
  summary: string,
  { parameters, content, failures = [], more }: GetDescription,
): { get: OpenApiOperation } {
  const responses = {
    200: { description: 'Done.', content },
    ...more,
    ...failureResponses(...failures),
  }
  return {
    get: { operationId, summary, security: [], ...(parameters && { parameters }), responses },
  }
}

const ofTypes = (...types: string[]) => Object.fromEntries(types.map((type) => [type, {}]))

const fileParameter = {
  name: 'file',
  in: 'path',
  required: true,
  description: 'The name of the file.',
  schema: { type: 'string' },
}

function describeSealed(
  summary: string,
  operationId: string,
  responseType = SEALED_CONTENT_TYPE,
): { post: OpenApiOperation } {
  const description = 'A sealed response. Errors after the envelope was opened are sealed, too.'
  return {
    post: {
      operationId,
      summary,
      security: [],
      requestBody: { required: true, content: { [SEALED_CONTENT_TYPE]: {} } },
      responses: {
        200: { description, content: { [responseType]: {} } },
        ...failureResponses(400, 401, 408, 413, 421, 500, 503),
      },
    },
  }
}

const processorWebhook: { post: OpenApiOperation } = {
  post: {
    operationId: 'processor_webhook',
    summary:
      'Receives events of the payment processor, authenticated by its signature over the exact bytes.',
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
        description: 'The event was applied to the ledger.',
        content: { 'application/json': { schema: webhookAnswer } },
      },
      ...failureResponses(400, 408, 413, 429, 500, 503),
    },
  },
}

const swaggerUiFile = describeGet('swagger_ui_file', 'A file of the API page.', {
  parameters: [fileParameter],
  content: ofTypes('text/javascript', 'text/css', 'image/png'),
  more: { 304: { description: 'Not modified.' } },
  failures: [404],
})

const nonceParameter = (reportData: string) => ({
  name: 'nonce',
  in: 'query',
  required: false,
  description: `1 to 64 bytes in hex. Returns a fresh quote whose report data is the SHA-512 of ${reportData}.`,
  schema: { type: 'string', pattern: '^(0x)?([0-9a-fA-F]{2}){1,64}$' },
})

const attestation = describeGet(
  'attestation',
  'Returns the quote of the machine, with zero report data, and its event log.',
  {
    parameters: [nonceParameter('`svc/nonce/v1:` followed by the nonce')],
    content: jsonContent(jsonSchemaOf(attestationSchema, 'output')),
    failures: [400, 429, 503],
  },
)

const evidenceBundle = describeGet(
  'evidence_bundle',
  'Returns all evidence of the process that responds, for clients that verify one of several machines behind one name.',
  {
    parameters: [
      nonceParameter(
        '`svc/bundle/v1:`, the SHA-256 of `sha256sum.txt`, and the nonce, in the field `fresh`',
      ),
    ],
    content: jsonContent(jsonSchemaOf(evidenceBundleResponseSchema, 'output')),
    failures: [400, 429, 503],
  },
)

const infoResponse = infoSchema.extend({
  ...buildFields,
  environment: z.enum(ENVIRONMENT_NAMES),
  api_payers: z.array(z.string()),
})

const info = describeGet(
  'info',
  'Returns the machine’s description of itself: the application, the measured compose text, and the version and commit of the software.',
  { content: jsonContent(jsonSchemaOf(infoResponse, 'output')), failures: [503] },
)

const evidenceFile = describeGet(
  'evidence_file',
  'A file of the evidence, with exactly the bytes that its checksum covers.',
  {
    parameters: [fileParameter],
    content: ofTypes('application/json', 'text/plain', 'application/pem-certificate-chain'),
    failures: [404, 503],
  },
)

const healthAnswer = (description: string) => ({
  description,
  content: jsonContent(jsonSchemaOf(originHealthSchema, 'output')),
})

const health: { get: OpenApiOperation } = {
  get: {
    operationId: 'health',
    summary: 'Returns the health of this origin, with reasons.',
    security: [],
    responses: {
      200: healthAnswer(
        'The origin serves requests: `ok`, or `degraded` if an operator should take a look.',
      ),
      503: healthAnswer('The origin is `down`; send requests elsewhere.'),
    },
  },
}

const metrics = describeGet(
  'metrics',
  'Returns the metrics of this process in Prometheus format, for its operator.',
  {
    parameters: [
      {
        name: 'Authorization',
        in: 'header',
        required: true,
        description: '`Bearer` and the value of the setting `SVC_METRICS_TOKEN`.',
        schema: { type: 'string' },
      },
    ],
    content: { [METRICS_TYPE]: {} },
    failures: [401, 404],
  },
)

export const extraPaths: OpenApiPaths = {
  [PROCESSOR_WEBHOOK_PATH]: processorWebhook,
  '/core/v1/openapi.json': describeGet('openapi', 'This OpenAPI document.', {
    content: ofTypes('application/json'),
  }),
  '/core/v1/swagger-ui': describeGet(
    'swagger_ui',
    'This OpenAPI document, as a page in a browser.',
    { content: ofTypes('application/json', 'text/html') },
  ),
  '/core/v1/swagger-ui/{file}': swaggerUiFile,
  [ERRORS_PATH]: describeGet(
    'errors',
    'The explanations of all errors, which `docs_url` links to.',
    { content: ofTypes('text/html; charset=utf-8') },
  ),
  [ATTESTATION_PATH]: attestation,
  [EVIDENCE_BUNDLE_PATH]: evidenceBundle,
  [INFO_PATH]: info,
  [EVIDENCES_PATH]: describeGet(
    'evidence',
    'The attestation evidence of this origin, as a list of links.',
    { content: ofTypes('text/html; charset=utf-8'), failures: [503] },
  ),
  [`${EVIDENCES_PATH}{file}`]: evidenceFile,
  [SEALED_EXECUTE_PATH]: describeSealed(
    'Executes an action for a client that verifies the origin (sealed).',
    'sealed_execute',
  ),
  [SEALED_RUNS_PATH]: describeSealed(
    'Executes runs of one trigger for the edge (sealed). The response is a stream with one message for each run.',
    'sealed_runs',
    SEALED_STREAM_CONTENT_TYPE,
  ),
  [SEALED_OUTCOMES_PATH]: describeSealed(
    'Returns the outcomes of runs (sealed).',
    'sealed_outcomes',
  ),
  [SEALED_LOGS_PATH]: describeSealed(
    'Returns the console output of runs in progress (sealed).',
    'sealed_logs',
  ),
  [SEALED_KEYS_PATH]: describeSealed('Looks up an API key for the edge (sealed).', 'sealed_keys'),
  [SEALED_KEY_STATES_PATH]: describeSealed(
    'Returns the expiry of stored usage keys, and the balances of their accounts, for the edge (sealed).',
    'sealed_key_states',
  ),
  [SEALED_HTTP_PATH]: describeSealed(
    'Serves a request that the edge forwards (sealed).',
    'sealed_http',
  ),
  [HEALTH_PATH]: health,
  [METRICS_PATH]: metrics,
}
