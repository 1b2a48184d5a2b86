/** What is served beside the operations: files, pages, the sealed channel. */
import {
  CHANNEL_KEY_PATH,
  SEALED_EXECUTE_PATH,
  SEALED_OUTCOMES_PATH,
  STORAGE_KEY_PATH,
} from '../../../shared/wire/sealed.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import type { ErrorStatus } from '../../../shared/errors.ts'
import type { Description, Paths } from '../../../shared/openapi/document.ts'
import { errorReference } from './errors.ts'

const webhookAnswer = {
  type: 'object',
  properties: { received: { const: true } },
  required: ['received'],
}

const failures = (...statuses: ErrorStatus[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorReference(status)]))

/** @param types content types of status 200 */
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
        ...failures(400, 401, 413, 421, 500),
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
      ...failures(400, 413, 429, 500, 503),
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

export const otherRoutes: Paths = {
  [PROCESSOR_WEBHOOK_PATH]: processorWebhook,
  '/core/v1/openapi.json': read('This description.', ['application/json']),
  '/core/v1/swagger-ui': read('This description; as a page for a browser.', [
    'application/json',
    'text/html',
  ]),
  '/core/v1/swagger-ui/{file}': fileOfPage,
  [CHANNEL_KEY_PATH]: read('The key that requests are sealed to.', ['application/json']),
  [STORAGE_KEY_PATH]: read('The key that stored usage keys are sealed to.', ['application/json']),
  [SEALED_EXECUTE_PATH]: sealed('Executes an action; sealed.', 'sealed_execute'),
  [SEALED_OUTCOMES_PATH]: sealed('What became of runs; sealed.', 'sealed_outcomes'),
  [SEALED_KEYS_PATH]: sealed('What a key is, for the edge; sealed.', 'sealed_keys'),
  [SEALED_HTTP_PATH]: sealed('A request that the edge passes on; sealed.', 'sealed_http'),
  '/health': read('Whether this origin can answer.', ['application/json'], failures(503)),
}
