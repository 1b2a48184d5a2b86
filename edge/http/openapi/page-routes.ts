import {
  failureResponses,
  type OpenApiOperation,
  type OpenApiPaths,
} from '../../../shared/openapi/document.ts'
import { SCRIPT_NAMES, scriptPath } from '../../pages/scripts/page-scripts.ts'
import { FORM_FIELDS } from '../../pages/triggers/form/trigger-form-fields.ts'
import {
  documentDescription,
  formDescription,
  idParameters,
  internalPostDescription,
  pageDescription,
  internalGetDescription,
  scriptDescription,
} from './page-descriptions.ts'

const triggerId = idParameters('The trigger ID.')
const runId = idParameters('The run ID.')
const forTrigger = (route: OpenApiOperation) => ({ ...route, parameters: triggerId })
const forRun = (route: OpenApiOperation) => ({ ...route, parameters: runId })
const forReplay = (route: OpenApiOperation) => ({
  ...route,
  parameters: idParameters('The ID of the bulk replay.'),
})
const seeOther = { 303: { description: 'Redirects to the sign-in page, and back afterwards.' } }
const notFoundResponses = { ...seeOther, ...failureResponses(404) }
const badLink = {
  400: { description: 'A page that explains the error.', content: { 'text/html': {} } },
}

const linkId = idParameters('The ID of the linked account.')
const shareId = [{ ...idParameters('The ID of the share or invitation.')[0]!, name: 'share' }]
const ofLink = (summary: string, operationId: string) => ({
  ...internalPostDescription(summary, operationId, { refusals: [401, 404, 409] }),
  parameters: linkId,
})
const ofInvitation = (summary: string, operationId: string) => ({
  ...internalPostDescription(summary, operationId, { refusals: [401, 404] }),
  parameters: shareId,
})

const muteToken = [
  {
    name: 'token',
    in: 'query',
    required: true,
    description: 'The token from the mail.',
    schema: { type: 'string' },
  },
]

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
  '/console/accounts': {
    get: internalGetDescription('Lists the linked accounts.', 'list_linked_accounts', []),
    post: internalPostDescription('Links an account.', 'link_account', {
      refusals: [401, 409],
    }),
  },
  '/console/accounts/{id}/rename': {
    post: ofLink('Renames a linked account.', 'rename_linked_account'),
  },
  '/console/accounts/{id}/key': {
    post: ofLink('Replaces the usage key of a linked account.', 'replace_linked_account_key'),
  },
  '/console/accounts/{id}/unlink': {
    post: ofLink('Unlinks an account, and ends its shares.', 'unlink_account'),
  },
  '/console/accounts/{id}/open': {
    post: ofLink('Marks the account that the console opens next.', 'open_linked_account'),
  },
  '/console/accounts/{id}/leave': {
    post: ofLink('Leaves an account that is shared with the user.', 'leave_shared_account'),
  },
  '/console/accounts/{id}/shares': {
    post: ofLink('Invites a person to a linked account.', 'share_linked_account'),
  },
  '/console/accounts/{id}/shares/{share}/remove': {
    post: {
      ...ofLink('Removes a person from a linked account.', 'remove_account_share'),
      parameters: [...linkId, ...shareId],
    },
  },
  '/console/invitations/{share}/accept': {
    post: ofInvitation('Accepts an invitation to an account.', 'accept_invitation'),
  },
  '/console/invitations/{share}/decline': {
    post: ofInvitation('Declines an invitation to an account.', 'decline_invitation'),
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
  '/audit-log': {
    get: pageDescription('The changes of the triggers of the user.', 'audit_log_page', seeOther),
  },
  '/audit-log/entries': {
    get: internalGetDescription('Entries for the script of the page.', 'audit_log_entries', []),
  },
  '/alerts': {
    get: pageDescription('The incidents and alert settings of the user.', 'alerts_page', seeOther),
  },
  '/alerts/mute-trigger': {
    post: formDescription('Mutes a trigger, or ends this.', 'mute_trigger', [
      'csrf',
      'trigger',
      'muted',
    ]),
  },
  '/alerts/settings': {
    post: formDescription('Changes the alert settings.', 'change_alerts', [
      'csrf',
      'signals',
      'muted',
    ]),
  },
  '/alerts/thresholds': {
    post: formDescription('Changes the thresholds of a trigger.', 'change_thresholds', [
      'trigger',
      'failure_rate',
      'queue_share',
      'csrf',
    ]),
  },
  '/alerts/channels/add': {
    post: formDescription('Adds an alert channel.', 'add_alert_channel', [
      'csrf',
      'type',
      'name',
      'url',
      'trigger_id',
      'signals',
    ]),
  },
  '/alerts/channels/change': {
    post: formDescription('Changes, tests or deletes an alert channel.', 'change_alert_channel', [
      'csrf',
      'channel',
      'change',
    ]),
  },
  '/alerts/mute': {
    get: {
      ...pageDescription('The page that the link in an alert mail opens.', 'mute_alerts_page', {
        410: { description: 'A page that explains the error.', content: { 'text/html': {} } },
      }),
      parameters: muteToken,
    },
    post: {
      ...formDescription('Mutes alerts. Mail programs use it too (RFC 8058).', 'mute_alerts', []),
      parameters: muteToken,
    },
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
  '/triggers/preview/expressions': {
    post: internalPostDescription(
      'Checks expressions while a form is filled in.',
      'check_expressions',
      { refusals: [401, 404] },
    ),
  },
  '/triggers/{id}/edit': {
    get: forTrigger(
      pageDescription('The form to edit a trigger.', 'edit_trigger_page', notFoundResponses),
    ),
    post: forTrigger(
      formDescription('Changes a trigger, or previews the change.', 'edit_trigger', [
        'csrf',
        'do',
        'seen',
        ...FORM_FIELDS,
      ]),
    ),
  },
  '/triggers/{id}/enable': {
    post: forTrigger(formDescription('Resumes a trigger.', 'enable_trigger', ['csrf', 'from'])),
  },
  '/triggers/{id}/disable': {
    post: forTrigger(formDescription('Pauses a trigger.', 'disable_trigger', ['csrf', 'from'])),
  },
  '/triggers/{id}/delete': {
    post: forTrigger(formDescription('Deletes a trigger.', 'delete_trigger_page', ['csrf'])),
  },
  '/triggers/{id}': {
    get: forTrigger(
      pageDescription(
        'A trigger with its configuration, state and runs.',
        'trigger_page',
        notFoundResponses,
      ),
    ),
  },
  '/triggers/{id}/runs.json': {
    get: internalGetDescription(
      'Returns the current state of a trigger page.',
      'trigger_page_state',
      triggerId,
    ),
  },
  '/triggers/{id}/tail.json': {
    get: internalGetDescription(
      'Waits for new console output of a trigger’s runs.',
      'trigger_page_tail',
      triggerId,
    ),
  },
  '/triggers/{id}/test': {
    post: forTrigger(
      formDescription('Starts a test run of a trigger.', 'test_trigger_page', [
        'csrf',
        'what',
        'json',
      ]),
    ),
  },
  '/triggers/{id}/purge': {
    post: forTrigger(
      formDescription('Cancels all queued runs of a trigger.', 'purge_trigger_page', ['csrf']),
    ),
  },
  '/runs/{id}': {
    get: forRun(
      pageDescription('A run with its input and outcome.', 'run_page', notFoundResponses),
    ),
  },
  '/runs/{id}/state.json': {
    get: internalGetDescription(
      'Returns the current state of a run page.',
      'run_page_state',
      runId,
    ),
  },
  '/runs': { get: pageDescription('The runs of all triggers.', 'all_runs_page', seeOther) },
  '/runs/{id}/replay': {
    post: forRun(formDescription('Replays a run.', 'replay_run_page', ['csrf', 'code'])),
  },
  '/runs/{id}/cancel': {
    post: forRun(formDescription('Cancels a queued run.', 'cancel_run_page', ['csrf'])),
  },
  '/failed-runs': {
    get: pageDescription('The failed runs of all triggers.', 'failed_runs_page', seeOther),
  },
  '/failed-runs/replay': {
    get: pageDescription('The preview of a bulk replay.', 'preview_replay_page', notFoundResponses),
    post: formDescription('Starts a bulk replay.', 'start_replay_page', [
      'csrf',
      'fingerprint',
      'run_ids',
      'per_minute',
      'code',
    ]),
  },
  '/replays/{id}': {
    get: forReplay(
      pageDescription('The progress of a bulk replay.', 'replay_page', notFoundResponses),
    ),
  },
  '/replays/{id}/cancel': {
    post: forReplay(formDescription('Cancels a bulk replay.', 'cancel_replay_page', ['csrf'])),
  },
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
  ...Object.fromEntries(
    SCRIPT_NAMES.map((name) => [scriptPath(name), { get: scriptDescription(name) }]),
  ),
  '/docs': { get: pageDescription('The list of documents.', 'docs') },
  '/docs/{name}': { get: documentDescription('document', ['name']) },
  '/docs/{folder}/{name}': { get: documentDescription('document_in_folder', ['folder', 'name']) },
  '/dev/mailbox': {
    get: pageDescription(
      'The mailbox of a local stack. Not available in production.',
      'dev_mailbox',
      failureResponses(404),
    ),
  },
}
