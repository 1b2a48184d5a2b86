/** An operation belongs to the first group with a pattern that matches its path. */
export type Group = { name: string; title: string; paths: RegExp; about: string }

export const TRIGGER_GROUPS: readonly Group[] = [
  {
    name: 'triggers',
    title: 'Triggers',
    paths: /^\/api\/(triggers|chains|audit-log)(?!.*\/(runs|test)$)/,
    about: 'Creating, changing and previewing triggers ([triggers](../triggers.md)).',
  },
  {
    name: 'runs',
    title: 'Runs',
    paths: /^\/api\/(runs|triggers\/\{id\}\/(runs|test)$)/,
    about:
      'The run history of a trigger, test runs and replays ([triggers](../triggers.md#history)).',
  },
  {
    name: 'failed-runs',
    title: 'Failed runs and bulk replay',
    paths: /^\/api\/(failed-runs|replays)/,
    about: 'Failed runs of all triggers of a user ([failed runs](../failed-runs.md)).',
  },
  {
    name: 'alerts',
    title: 'Alerts',
    paths: /^\/api\/alerts\//,
    about: 'Incidents, settings and deliveries ([alerts](../alerts.md)).',
  },
  {
    name: 'actions',
    title: 'Action library',
    paths: /^\/api\/actions/,
    about: 'Sources of actions with their versions ([action library](../action-library.md)).',
  },
  {
    name: 'agents',
    title: 'Tokens and users',
    paths: /^\/(api\/me|agent\/requests)/,
    about: 'Agent tokens and their owner ([triggers](../triggers.md#authorizing-a-program)).',
  },
  {
    name: 'mcp',
    title: 'Remote MCP and OAuth',
    paths: /^\/(mcp|oauth\/(token|revoke|device_authorization)|\.well-known\/oauth-)/,
    about: 'The remote MCP server, and its OAuth server ([remote MCP](../remote-mcp.md)).',
  },
  {
    name: 'webhook',
    title: 'Webhooks',
    paths: /^\/webhook\//,
    about: 'The URL to which senders post ([triggers](../triggers.md)).',
  },
  {
    name: 'service',
    title: 'Service',
    paths: /^\/(health|metrics|operator|openapi\.json|sealed\/)/,
    about: 'Health, metrics, operator commands and the sealed channel.',
  },
]

export const CORE_GROUPS: readonly Group[] = [
  {
    name: 'billing',
    title: 'Credits and payments',
    paths: /\/billing\//,
    about: 'Balance, charges and payments ([credits](../credits.md)).',
  },
  {
    name: 'usage-keys',
    title: 'Usage keys',
    paths: /usage_api_key|list_api_keys/,
    about: 'Keys with limited permissions ([accounts](../accounts.md)).',
  },
  {
    name: 'transactions',
    title: 'Transactions',
    paths: /transaction/,
    about: 'Transactions that wallets send ([accounts](../accounts.md#sending-transactions)).',
  },
  {
    name: 'groups',
    title: 'Groups',
    paths: /group/,
    about:
      'Groups define which keys can run which actions with which wallets ([accounts](../accounts.md)).',
  },
  {
    name: 'actions',
    title: 'Actions',
    paths: /action/,
    about: 'Running and recording actions ([actions](../actions.md)).',
  },
  {
    name: 'wallets',
    title: 'Wallets',
    paths: /wallet|simulate_signature/,
    about:
      'Keys that are derived inside the origin and never leave it ([accounts](../accounts.md)).',
  },
  {
    name: 'accounts',
    title: 'Accounts',
    paths: /account/,
    about:
      'Opening an account, rotating its key, converting it to ChainSecured mode ([accounts](../accounts.md)).',
  },
  {
    name: 'service',
    title: 'Service',
    paths: /./,
    about:
      'Versions, limits, attestation evidence ([attestation](../attestation.md)) and the sealed channel.',
  },
]
