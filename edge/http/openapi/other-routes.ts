/** What is served beside `/api`: the webhooks, the pages for people, and what tells of the service itself. */
import type { ErrorStatus } from '../../../shared/errors.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { type Description, jsonContent, type Paths } from '../../../shared/openapi/document.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { agentRequestAnswer, agentRequestBody } from '../../../shared/wire/agent.ts'
import { queuedAnswer } from '../../../shared/wire/run.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { HEALTH_PATH, METRICS_PATH, METRICS_TYPE } from '../../../shared/wire/operating.ts'
import { REASONS } from '../../health/reasons.ts'
import { FORM_FIELDS } from '../console/trigger-form/fields.ts'
import { DOCUMENT_PATHS, GUIDE_PATH, INDEX_PATH, LLMS_PATH } from '../../skill/documents.ts'
import { errorReference, headerReferences } from './errors.ts'

const failures = (...statuses: ErrorStatus[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorReference(status)]))

const idOf = (description: string) => [
  { name: 'id', in: 'path', required: true, description, schema: { type: 'string' } },
]
const triggerId = idOf('The trigger’s id.')
const runId = idOf('The run’s id.')
const webhookId = idOf('The trigger’s id: webhook_url in its record is the whole address.')

function page(summary: string, operationId: string, more: object = {}): Description {
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

/** A name that ends in `.md` asks for the source. */
function documentPage(operationId: string, names: string[]): Description {
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

function form(summary: string, operationId: string, fields: readonly string[]): Description {
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

/** What the script of a page sends; nobody else's request is taken. */
function ofOwnPage(
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

/** What the script of a page asks, with the session; of one kind of id. */
function readOfOwnPage(
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

function script(operationId: string): Description {
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

const seeOther = { 303: { description: 'To the sign-in, and back.' } }
const notThere = { ...seeOther, ...failures(404) }
const badLink = { 400: { description: 'A page that says why not.', content: { 'text/html': {} } } }

const nullable = (type: string) => ({ type: [type, 'null'] })

/** Of `GET /health`; what is null was not verified. */
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

/** What agents read: the same text for everybody. */
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
  '/': { get: page('What this is.', 'home') },
  '/sign-in': {
    get: page('Asks for an e-mail address.', 'sign_in_page'),
    post: form('Sends a sign-in link.', 'send_sign_in_link', ['email', 'next']),
  },
  '/sign-in/link': {
    get: page('The page that a sign-in link opens.', 'sign_in_link_page', badLink),
    post: form('Signs in; sets the cookie.', 'sign_in', ['secret']),
  },
  '/sign-out': {
    post: form('Ends the session, or all of its user.', 'sign_out', ['csrf', 'where']),
  },
  '/account': { get: page('Who is signed in, and the account’s passkeys.', 'account', seeOther) },
  '/passkeys/sign-in-options': {
    post: ofOwnPage('A challenge for whichever passkey signs in.', 'passkey_sign_in_options'),
  },
  '/passkeys/sign-in': {
    post: ofOwnPage('Signs in by a passkey’s answer; sets the cookie.', 'passkey_sign_in'),
  },
  '/passkeys/registration-options': {
    post: ofOwnPage('What a new passkey has to be.', 'passkey_registration_options', {
      refusals: [401, 409],
    }),
  },
  '/passkeys': {
    post: ofOwnPage('Adds a passkey to the account.', 'add_passkey', {
      success: 201,
      refusals: [401, 409],
    }),
  },
  '/passkeys/remove': {
    post: form('Removes a passkey of the account.', 'remove_passkey', ['csrf', 'credential_id']),
  },
  '/agent/authorize': {
    get: {
      ...page('Asks whether a token may act for you.', 'authorize_page', {
        ...seeOther,
        ...badLink,
      }),
      parameters: [
        {
          name: 'challenge',
          in: 'query',
          required: true,
          description: 'base64url of the SHA-256 of the token, without padding.',
          schema: { type: 'string' },
        },
      ],
    },
    post: form('Approves or refuses the token.', 'authorize', [
      'challenge',
      'csrf',
      'decision',
      'name',
      'access',
      'user_code',
    ]),
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
  '/agent/tokens': {
    get: page('What you have authorized.', 'agent_tokens_page', seeOther),
  },
  '/agent/tokens/revoke': {
    post: form('Revokes one token, or `all`.', 'revoke_agent_token', ['token', 'csrf']),
  },
  '/triggers': {
    get: page('The triggers of who is signed in.', 'triggers_page', seeOther),
  },
  '/triggers/new': {
    get: page('The kinds, or the form of one (`kind`).', 'new_trigger_page', seeOther),
    post: form('Makes a trigger, or shows what it would do.', 'new_trigger', [
      'csrf',
      'do',
      'seen',
      ...FORM_FIELDS,
    ]),
  },
  '/triggers/preview': {
    post: ofOwnPage('What a trigger would do that is being filled in.', 'check_trigger', {
      refusals: [401],
    }),
  },
  '/triggers/{id}/edit': {
    get: {
      ...page('The form of a trigger.', 'edit_trigger_page', notThere),
      parameters: triggerId,
    },
    post: {
      ...form('Changes a trigger, or shows what it would do.', 'edit_trigger', [
        'csrf',
        'do',
        'seen',
        ...FORM_FIELDS,
      ]),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/enable': {
    post: {
      ...form('Lets a trigger go on.', 'enable_trigger', ['csrf', 'from']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/disable': {
    post: {
      ...form('Pauses a trigger.', 'disable_trigger', ['csrf', 'from']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/delete': {
    post: { ...form('Deletes a trigger.', 'delete_trigger_page', ['csrf']), parameters: triggerId },
  },
  '/triggers/{id}': {
    get: {
      ...page('What fires a trigger, how it is, and what it did.', 'trigger_page', notThere),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/runs.json': {
    get: readOfOwnPage('What changes on the page of a trigger.', 'trigger_page_state', triggerId),
  },
  '/triggers/{id}/test': {
    post: {
      ...form('Fires a trigger by hand.', 'test_trigger_page', ['csrf', 'what', 'json']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/purge': {
    post: {
      ...form('Cancels what is queued.', 'purge_trigger_page', ['csrf']),
      parameters: triggerId,
    },
  },
  '/runs/{id}': {
    get: { ...page('A run.', 'run_page', notThere), parameters: runId },
  },
  '/runs/{id}/state.json': {
    get: readOfOwnPage('What changes on the page of a run.', 'run_page_state', runId),
  },
  '/runs/{id}/replay': {
    post: {
      ...form('Runs the same event once more.', 'replay_run_page', ['csrf', 'code']),
      parameters: runId,
    },
  },
  '/runs/{id}/cancel': {
    post: {
      ...form('Cancels a run that is queued.', 'cancel_run_page', ['csrf']),
      parameters: runId,
    },
  },
  '/scripts/runs.js': { get: script('runs_script') },
  '/scripts/trigger-form.js': { get: script('trigger_form_script') },
  '/verify': {
    get: page('Judges the origin’s evidence in the reader’s own browser.', 'verify'),
    post: form('The same, with a node of the governance contract’s chain.', 'verify_with_node', [
      'rpc_url',
    ]),
  },
  '/console': {
    get: page('An account of the core API, seen with a key that only the browser has.', 'console'),
  },
  '/pay': {
    get: page('Where a payment is paid, by the processor’s own script.', 'pay'),
  },
  '/scripts/account.js': { get: script('account_script') },
  '/scripts/charts.js': { get: script('charts_script') },
  '/scripts/connect.js': { get: script('connect_script') },
  '/scripts/console.js': { get: script('console_script') },
  '/scripts/editor.js': { get: script('editor_script') },
  '/scripts/ethers.js': { get: script('ethers_script') },
  '/scripts/pay.js': { get: script('pay_script') },
  '/scripts/sign-in.js': { get: script('sign_in_script') },
  '/scripts/verifier.js': { get: script('verifier_script') },
  '/scripts/verify.js': { get: script('verify_script') },
  '/docs': { get: page('The documents, by what they are for.', 'docs') },
  '/docs/{name}': { get: documentPage('document', ['name']) },
  '/docs/{folder}/{name}': { get: documentPage('document_in_folder', ['folder', 'name']) },
  '/scripts/docs.js': { get: script('docs_script') },
  '/dev/mailbox': {
    get: page('The local stack’s mail; not there in production.', 'dev_mailbox', failures(404)),
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
