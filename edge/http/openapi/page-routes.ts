import type { Paths } from '../../../shared/openapi/document.ts'
import { FORM_FIELDS } from '../console/trigger-form/fields.ts'
import {
  documentPage,
  failures,
  form,
  idOf,
  ofOwnPage,
  page,
  readOfOwnPage,
  script,
} from './page-descriptions.ts'

const triggerId = idOf('The trigger ID.')
const runId = idOf('The run ID.')
const seeOther = { 303: { description: 'Redirects to the sign-in page, and back afterwards.' } }
const notThere = { ...seeOther, ...failures(404) }
const badLink = {
  400: { description: 'A page that explains the error.', content: { 'text/html': {} } },
}

export const pageRoutes: Paths = {
  '/': { get: page('The home page.', 'home') },
  '/sign-in': {
    get: page('The sign-in page.', 'sign_in_page'),
    post: form('Sends a sign-in link.', 'send_sign_in_link', ['email', 'next']),
  },
  '/sign-in/link': {
    get: page('The page that a sign-in link opens.', 'sign_in_link_page', badLink),
    post: form('Signs in and sets the session cookie.', 'sign_in', ['secret']),
  },
  '/sign-out': {
    post: form('Ends the session, or all sessions of the user.', 'sign_out', ['csrf', 'where']),
  },
  '/account': {
    get: page('The account page, with the signed-in user and the passkeys.', 'account', seeOther),
  },
  '/passkeys/sign-in-options': {
    post: ofOwnPage(
      'Returns a challenge for signing in with a passkey.',
      'passkey_sign_in_options',
    ),
  },
  '/passkeys/sign-in': {
    post: ofOwnPage(
      'Signs in with a passkey’s response, and sets the session cookie.',
      'passkey_sign_in',
    ),
  },
  '/passkeys/registration-options': {
    post: ofOwnPage(
      'Returns the options for registering a passkey.',
      'passkey_registration_options',
      {
        refusals: [401, 409],
      },
    ),
  },
  '/passkeys': {
    post: ofOwnPage('Adds a passkey to the account.', 'add_passkey', {
      success: 201,
      refusals: [401, 409],
    }),
  },
  '/passkeys/remove': {
    post: form('Removes a passkey from the account.', 'remove_passkey', ['csrf', 'credential_id']),
  },
  '/agent/authorize': {
    get: {
      ...page('The page to approve or refuse a token.', 'authorize_page', {
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
  '/agent/tokens': {
    get: page('The tokens that you have authorized.', 'agent_tokens_page', seeOther),
  },
  '/agent/tokens/revoke': {
    post: form('Revokes one token, or all of them (`all`).', 'revoke_agent_token', [
      'token',
      'csrf',
    ]),
  },
  '/triggers': {
    get: page('The triggers of the signed-in user.', 'triggers_page', seeOther),
  },
  '/triggers/new': {
    get: page(
      'The choice of a trigger kind, or the form for one (`kind`).',
      'new_trigger_page',
      seeOther,
    ),
    post: form('Creates a trigger, or previews it.', 'new_trigger', [
      'csrf',
      'do',
      'seen',
      ...FORM_FIELDS,
    ]),
  },
  '/triggers/preview': {
    post: ofOwnPage('Previews a trigger while its form is filled in.', 'check_trigger', {
      refusals: [401],
    }),
  },
  '/triggers/{id}/edit': {
    get: {
      ...page('The form to edit a trigger.', 'edit_trigger_page', notThere),
      parameters: triggerId,
    },
    post: {
      ...form('Changes a trigger, or previews the change.', 'edit_trigger', [
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
      ...form('Resumes a trigger.', 'enable_trigger', ['csrf', 'from']),
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
      ...page('A trigger with its configuration, state and runs.', 'trigger_page', notThere),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/runs.json': {
    get: readOfOwnPage(
      'Returns the current state of a trigger page.',
      'trigger_page_state',
      triggerId,
    ),
  },
  '/triggers/{id}/test': {
    post: {
      ...form('Starts a test run of a trigger.', 'test_trigger_page', ['csrf', 'what', 'json']),
      parameters: triggerId,
    },
  },
  '/triggers/{id}/purge': {
    post: {
      ...form('Cancels all queued runs of a trigger.', 'purge_trigger_page', ['csrf']),
      parameters: triggerId,
    },
  },
  '/runs/{id}': {
    get: { ...page('A run with its input and outcome.', 'run_page', notThere), parameters: runId },
  },
  '/runs/{id}/state.json': {
    get: readOfOwnPage('Returns the current state of a run page.', 'run_page_state', runId),
  },
  '/runs/{id}/replay': {
    post: {
      ...form('Replays a run.', 'replay_run_page', ['csrf', 'code']),
      parameters: runId,
    },
  },
  '/runs/{id}/cancel': {
    post: {
      ...form('Cancels a queued run.', 'cancel_run_page', ['csrf']),
      parameters: runId,
    },
  },
  '/scripts/runs.js': { get: script('runs_script') },
  '/scripts/trigger-form.js': { get: script('trigger_form_script') },
  '/verify': {
    get: page('Verifies the origin’s evidence in the browser.', 'verify'),
    post: form(
      'Verifies the evidence, and queries the governance contract through the given node.',
      'verify_with_node',
      ['rpc_url'],
    ),
  },
  '/console': {
    get: page(
      'The console for an account of the core API. The API key stays in the browser.',
      'console',
    ),
  },
  '/pay': {
    get: page('The payment page, which runs the payment processor’s script.', 'pay'),
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
  '/docs': { get: page('The list of documents.', 'docs') },
  '/docs/{name}': { get: documentPage('document', ['name']) },
  '/docs/{folder}/{name}': { get: documentPage('document_in_folder', ['folder', 'name']) },
  '/scripts/docs.js': { get: script('docs_script') },
  '/dev/mailbox': {
    get: page(
      'The mailbox of a local stack. Not available in production.',
      'dev_mailbox',
      failures(404),
    ),
  },
}
