/**
 * Operations of the core API that a linked account may be used for. The lists are explicit, so an operation that is added
 * to the core API is refused until it is listed here.
 */
import type { ShareScope } from '../../shared/wire/account-links.ts'

/** `owner` is the person who linked the account. */
export type LinkRole = 'owner' | ShareScope

/** GET operations, and POST operations that only compute. */
const VIEW = [
  'GET account_exists',
  'GET get_account',
  'GET list_wallets',
  'GET list_wallets_in_group',
  'GET get_wallet_policy',
  'GET get_wallet_statement',
  'GET transactions',
  'GET get_transaction_balances',
  'GET get_transaction_defaults',
  'GET transaction_chains',
  'GET list_groups',
  'GET get_group',
  'GET list_actions',
  'GET list_api_keys',
  'GET billing/balance',
  'GET billing/usage',
  'GET billing/processor_config',
  'GET get_node_chain_config',
  'GET version',
  'GET limits',
  'POST get_svc_action_ipfs_id',
] as const

const RUN = ['POST svc_action', 'POST simulate_signature'] as const

/** Everything else that a usage key may do. */
const MANAGE = [
  'POST create_wallet',
  'POST add_group',
  'POST remove_group',
  'POST add_pkp_to_group',
  'POST remove_pkp_from_group',
  'POST add_action_to_group',
  'POST remove_action_from_group',
  'POST send_transaction',
  'POST cancel_transaction',
  'POST speed_up_transaction',
  'POST billing/create_payment_intent',
  'POST billing/confirm_payment',
] as const

/** The audit log contains the client addresses of the owner. */
const OWNER = ['GET audit_log'] as const

const OPERATIONS: Record<LinkRole, ReadonlySet<string>> = {
  view: new Set(VIEW),
  run: new Set([...VIEW, ...RUN]),
  manage: new Set([...VIEW, ...RUN, ...MANAGE]),
  owner: new Set([...VIEW, ...RUN, ...MANAGE, ...OWNER]),
}

const PREFIX = '/core/v1/'

/**
 * Decides whether a linked account may be used for an operation.
 * @returns `never` if not even the owner may use it
 */
export function permission(
  role: LinkRole,
  method: string,
  path: string,
): 'permitted' | 'scope' | 'never' {
  if (!path.startsWith(PREFIX)) return 'never'
  const operation = `${method} ${path.slice(PREFIX.length)}`
  if (OPERATIONS[role].has(operation)) return 'permitted'
  return OPERATIONS.owner.has(operation) ? 'scope' : 'never'
}
