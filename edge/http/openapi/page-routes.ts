import type { OpenApiPaths } from '../../../shared/openapi/document.ts'
import { FORM_FIELDS } from '../../pages/triggers/form/trigger-form-fields.ts'
import {
  documentDescription,
  failureResponses,
  formDescription,
  idParameters,
  internalPostDescription,
  pageDescription,
  internalGetDescription,
  scriptDescription,
} from './page-descriptions.ts'

const triggerId = idParameters('The trigger ID.')
const runId = idParameters('The run ID.')
const seeOther = { 303: { description: 'Redirects to the sign-in page, and back afterwards.' } }
const notFoundResponses = { ...seeOther, ...failureResponses(404) }
const badLink = {
  400: { description: 'A page that explains the error.', content: { 'text/html': {} } },
}

export const pageRoutes: OpenApiPaths = {
  '/': { get: pageDescription('The home page.', 'home') },
  '/sign-in': {
    get: pageDescription('The sign-in page.', 'sign_in_page'),
    post: formDescription('Sends a sign-in link.', 'send_sign_in_link', ['email', 'next']),
  },
  '/sign-in/link': {
    get: pageDescription('The page that a sign-in link opens.', 'sign_in_link_page', badLink),
    post: formDescription('Signs in and sets the session cookie.', 'sign_in', ['secret']),
  },
  '/sign-out': {
    post: formDescription('Ends the session, or all sessions of the user.', 'sign_out', [
      'csrf',
      'where',
    ]),
  },
  '/account': {
    get: pageDescription(
      'The account page, with the signed-in user and the passkeys.',
      'account',
      seeOther,
    ),
  },
  '/passkeys/sign-in-options': {
    post: internalPostDescription(
      'Returns a challenge for signing in with a passkey.',
      'passkey_sign_in_options',
    ),
  },
  '/passkeys/sign-in': {
    post: internalPostDescription(
      'Signs in with a passkey’s response, and sets the session cookie.',
      'passkey_sign_in',
    ),
  },
  '/passkeys/registration-options': {
    post: internalPostDescription(
      'Returns the options for registering a passkey.',
      'passkey_registration_options',
      {
        refusals: [401, 409],
      },
    ),
  },
  '/passkeys': {
    post: internalPostDescription('Adds a passkey to the account.', 'add_passkey', {
      success: 201,
      refusals: [401, 409],
    }),
  },
  '/passkeys/remove': {
    post: formDescription('Removes a passkey from the account.', 'remove_passkey', [
      'csrf',
      'credential_id',
    ]),
  },
  '/agent/authorize': {
    get: {
      ...pageDescription('The page to approve or refuse a token.', 'authorize_page', {
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
    post: formDescription('Approves or refuses the token.', 'authorize', [
      'challenge',
      'csrf',
      'decision',
      'name',
      'access',
      'user_code',
    ]),
  },
  '/agent/tokens': {
    get: pageDescription('The tokens that you have authorized.', 'agent_tokens_page', seeOther),
  },
  '/agent/tokens/revoke': {
    post: formDescription('Revokes one token, or all of them (`all`).', 'revoke_agent_token', [
      'token',
      'csrf',
    ]),
  },
  '/triggers': {
    get: pageDescription('The triggers of the signed-in user.', 'triggers_page', seeOther),
  },
  '/triggers/new': {
    get: pageDescription(
      'The choice of a trigger kind, or the form for one (`kind`).',
      'new_trigger_page',
      seeOther,
    ),
    post: formDescription('Creates a trigger, or previews it.', 'new_trigger', [
      'csrf',
      'do',
      'seen',
      ...FORM_FIELDS,
    ]),
  },
  '/triggers/preview': {
    post: internalPostDescription(
      'Previews a trigger while its form is filled in.',
      'check_trigger',
      {
        refusals: [401],
      },
    ),
  },
  '/triggers/{id}/edit': {
    get: {
      ...pageDescription('The form to edit a trigger.', 'edit_trigger_page', notFoundResponses),
      parameters: triggerId,
    },
    post: {
      ...formDescription('Changes a trigger, or previews the change.', 'edit_trigger', [
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
      ...formDescription('Resumes a trigger.', 'enable_trigger', ['csrf', 'from']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/disable': {
    post: {
      ...formDescription('Pauses a trigger.', 'disable_trigger', ['csrf', 'from']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/delete': {
    post: {
      ...formDescription('Deletes a trigger.', 'delete_trigger_page', ['csrf']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}': {
    get: {
      ...pageDescription(
        'A trigger with its configuration, state and runs.',
        'trigger_page',
        notFoundResponses,
      ),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/runs.json': {
    get: internalGetDescription(
      'Returns the current state of a trigger page.',
      'trigger_page_state',
      triggerId,
    ),
  },
  '/triggers/{id}/test': {
    post: {
      ...formDescription('Starts a test run of a trigger.', 'test_trigger_page', [
        'csrf',
        'what',
        'json',
      ]),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/purge': {
    post: {
      ...formDescription('Cancels all queued runs of a trigger.', 'purge_trigger_page', ['csrf']),
      parameters: triggerId,
    },
  },
  '/runs/{id}': {
    get: {
      ...pageDescription('A run with its input and outcome.', 'run_page', notFoundResponses),
      parameters: runId,
    },
  },
  '/runs/{id}/state.json': {
    get: internalGetDescription(
      'Returns the current state of a run page.',
      'run_page_state',
      runId,
    ),
  },
  '/runs/{id}/replay': {
    post: {
      ...formDescription('Replays a run.', 'replay_run_page', ['csrf', 'code']),
      parameters: runId,
    },
  },
  '/runs/{id}/cancel': {
    post: {
      ...formDescription('Cancels a queued run.', 'cancel_run_page', ['csrf']),
      parameters: runId,
    },
  },
  '/scripts/runs.js': { get: scriptDescription('runs_script') },
  '/scripts/trigger-form.js': { get: scriptDescription('trigger_form_script') },
  '/verify': {
    get: pageDescription('Verifies the origin’s evidence in the browser.', 'verify'),
    post: formDescription(
      'Verifies the evidence, and queries the governance contract through the given node.',
      'verify_with_node',
      ['rpc_url'],
    ),
  },
  '/console': {
    get: pageDescription(
      'The console for an account of the core API. The API key stays in the browser.',
      'console',
    ),
  },
  '/pay': {
    get: pageDescription('The payment page, which runs the payment processor’s script.', 'pay'),
  },
  '/scripts/account.js': { get: scriptDescription('account_script') },
  '/scripts/charts.js': { get: scriptDescription('charts_script') },
  '/scripts/connect.js': { get: scriptDescription('connect_script') },
  '/scripts/console.js': { get: scriptDescription('console_script') },
  '/scripts/editor.js': { get: scriptDescription('editor_script') },
  '/scripts/ethers.js': { get: scriptDescription('ethers_script') },
  '/scripts/pay.js': { get: scriptDescription('pay_script') },
  '/scripts/sign-in.js': { get: scriptDescription('sign_in_script') },
  '/scripts/verifier.js': { get: scriptDescription('verifier_script') },
  '/scripts/verify.js': { get: scriptDescription('verify_script') },
  '/docs': { get: pageDescription('The list of documents.', 'docs') },
  '/docs/{name}': { get: documentDescription('document', ['name']) },
  '/docs/{folder}/{name}': { get: documentDescription('document_in_folder', ['folder', 'name']) },
  '/scripts/docs.js': { get: scriptDescription('docs_script') },
  '/dev/mailbox': {
    get: pageDescription(
      'The mailbox of a local stack. Not available in production.',
      'dev_mailbox',
      failureResponses(404),
    ),
  },
}
