/** Which operations stand together. The first group whose pattern fits has the operation. */
export type Group = { name: string; title: string; paths: RegExp; about: string }

export const TRIGGER_GROUPS: readonly Group[] = [
  {
    name: 'triggers',
    title: 'Triggers',
    paths: /^\/api\/(triggers|chains)(?!.*\/(runs|test)$)/,
    about: '',
  },
  {
    name: 'runs',
    title: 'Runs',
    paths: /^\/api\/(runs|triggers\/\{id\}\/(runs|test)$)/,
    about: '',
  },
  {
    name: 'agents',
    title: 'Tokens and who they are for',
    paths: /^\/(api\/me|agent\/requests)/,
    about: '',
  },
  { name: 'webhook', title: 'Webhooks', paths: /^\/webhook\//, about: '' },
  {
    name: 'service',
    title: 'The service itself',
    paths: /^\/(health|metrics|openapi\.json|sealed\/)/,
    about: '',
  },
]

export const CORE_GROUPS: readonly Group[] = [
  {
    name: 'billing',
    title: 'Credits and payments',
    paths: /\/billing\//,
    about:
      'What there is to spend, what was spent, and how to add to it ([credits](../credits.md)).',
  },
  {
    name: 'usage-keys',
    title: 'Usage keys',
    paths: /usage_api_key|list_api_keys/,
    about: 'Keys that may do some things and not others ([accounts](../accounts.md)).',
  },
  {
    name: 'groups',
    title: 'Groups',
    paths: /group/,
    about: 'Which keys may run which actions with which wallets ([accounts](../accounts.md)).',
  },
  {
    name: 'actions',
    title: 'Actions',
    paths: /action/,
    about: 'Running code, and the record of it ([actions](../actions.md)).',
  },
  {
    name: 'wallets',
    title: 'Wallets',
    paths: /wallet/,
    about:
      'Keys that are derived inside the origin, and never leave it ([accounts](../accounts.md)).',
  },
  {
    name: 'accounts',
    title: 'Accounts',
    paths: /account/,
    about: 'Opening one, changing its key, handing it to a wallet ([accounts](../accounts.md)).',
  },
  {
    name: 'service',
    title: 'The service itself',
    paths: /./,
    about:
      'Versions, limits, the evidence of the machine ([attestation](../attestation.md)), the sealed channel.',
  },
]
