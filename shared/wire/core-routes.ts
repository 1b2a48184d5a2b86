/** What of the origin the edge passes on (`decisions.md`, Addresses). The edge chooses by it, and the origin holds it to it. */

export const PROCESSOR_WEBHOOK_PATH = '/core/v1/billing/processor_webhook'
export const SVC_ACTION_PATH = '/core/v1/svc_action'

/**
 * What is asked of the origin alone: clients fetch public keys of actions directly from it, and not from intermediaries
 * (specification, Authentication 9). Who got one here could be given another, and pay or trust the wrong wallet.
 */
export const ACTION_WALLET_PATH = '/core/v1/get_svc_action_wallet'

/** Whose bodies may have `CORE_BODY_MAX_BYTES`; those of the others have at most `OPERATION_BODY_MAX_BYTES`. */
export const PATHS_WITH_SOURCE: readonly string[] = [
  SVC_ACTION_PATH,
  '/core/v1/get_svc_action_ipfs_id',
]

const SEGMENT = '[A-Za-z0-9_~-][A-Za-z0-9_.~-]*'
const PASSED_ON = new RegExp(
  `^/(?:core/v1(?:/${SEGMENT})+|get_node_chain_config|attestation|info|evidences/?|evidences/${SEGMENT})$`,
)

/**
 * Whether a path is passed on. Plain segments alone: what is escaped, doubled or begins with a dot is no path of the
 * origin's, and might be read by some part on the way as another one.
 */
export function isPassedOn(path: string): boolean {
  return PASSED_ON.test(path) && path !== ACTION_WALLET_PATH
}

const names = (method: 'GET' | 'POST', ...paths: string[]) =>
  paths.map((path) => `${method} /core/v1/${path}`)

/** The operations that a malformed key is refused at (401), as method and path; the others look at no key. */
export const OPERATIONS_WITH_KEY: ReadonlySet<string> = new Set([
  ...names('POST', 'rotate_account_api_key', 'create_wallet', 'svc_action'),
  ...names('POST', 'convert_to_chain_secured_account'),
  ...names('POST', 'add_group', 'update_group', 'remove_group'),
  ...names('POST', 'add_pkp_to_group', 'remove_pkp_from_group'),
  ...names('POST', 'add_action_to_group', 'remove_action_from_group'),
  ...names('POST', 'add_action', 'update_action_metadata', 'delete_action'),
  ...names('POST', 'add_usage_api_key', 'update_usage_api_key', 'remove_usage_api_key'),
  ...names('POST', 'billing/create_payment_intent', 'billing/confirm_payment'),
  ...names('GET', 'list_wallets', 'list_wallets_in_group', 'list_groups', 'get_group'),
  ...names('GET', 'list_actions', 'list_api_keys', 'billing/balance', 'billing/usage'),
])
