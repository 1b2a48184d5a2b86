/**
 * Feature areas of the contract. A journey names the areas it needs. A stack declares the areas it serves, and all
 * other journeys are reported as open.
 */
export const AREAS = {
  accounts: 'new_account, account_exists',
  'chain-config': 'get_node_chain_config',
  wallets: 'create_wallet',
  cids: 'get_svc_action_ipfs_id',
  groups: 'add_group',
  'usage-keys': 'add_usage_api_key',
  actions: 'svc_action, getPrivateKey',
  errors: 'shapes and statuses of core errors',
  'action-keys': 'the keys that belong to an action, and the two lookups by CID',
  'group-changes': 'add_pkp_to_group, add_action_to_group, update_group, remove_group',
  'key-management': 'list_api_keys, remove_usage_api_key',
  'execution-limits': 'key operations, outbound requests and their response size',
  billing: 'balance, charges, processor_config, create_payment_intent',
  payments: 'confirm_payment after a settled payment',
  'no-starter-credits': 'a new account starts with nothing',
  'chain-secured': 'conversion, and ownership transfer on the chain',
  attestation: 'attestation, info and the evidence files',
  openapi: 'swagger-ui',
  'agent-authorization': '/agent/authorize, /api/me',
  'agent-guide': '/SKILL.md',
  'webhook-triggers': 'create, list, get and delete a webhook trigger',
  'webhook-firing': 'POST /webhook/<id> and what the action receives',
  runs: 'the runs of a trigger and their states',
  'trigger-updates': 'PATCH of a trigger',
  'run-caps': 'max_runs_per_minute, max_queued_runs',
  schedules: 'schedule triggers',
  'chain-events': 'chain_event triggers',
} as const

export type Area = keyof typeof AREAS

export const ALL_AREAS: readonly Area[] = Object.keys(AREAS).filter(isArea)

/** Areas of the core API that a stack of this repository serves, both at the origin and through the edge. */
export const SERVED_OF_THE_CORE: readonly Area[] = [
  'accounts',
  'chain-config',
  'wallets',
  'cids',
  'groups',
  'usage-keys',
  'actions',
  'errors',
  'action-keys',
  'group-changes',
  'key-management',
  'billing',
  'chain-secured',
  'attestation',
  'openapi',
]

/** Areas of both services that a stack of this repository serves. */
export const SERVED: readonly Area[] = [
  ...SERVED_OF_THE_CORE,
  // Requires a server to fetch from.
  'execution-limits',
  // Requires a payment processor.
  'payments',
  'agent-authorization',
  'agent-guide',
  'webhook-triggers',
  'webhook-firing',
  'runs',
  'trigger-updates',
  'run-caps',
  'schedules',
  // Requires a chain to send transactions to.
  'chain-events',
]

function isArea(name: string): name is Area {
  return name in AREAS
}
