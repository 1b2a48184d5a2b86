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

const triggerId = idOf('The trigger’s id.')
const runId = idOf('The run’s id.')
const seeOther = { 303: { description: 'To the sign-in, and back.' } }
const notThere = { ...seeOther, ...failures(404) }
const badLink = { 400: { description: 'A page that says why not.', content: { 'text/html': {} } } }

export const pageRoutes: Paths = {
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
}
