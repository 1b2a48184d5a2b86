/** Core API paths that the edge proxies (docs/decisions/0022). The origin rejects sealed requests for other paths. */

import { CORE_BODY_MAX_BYTES, OPERATION_BODY_MAX_BYTES, POLICY_BODY_MAX_BYTES } from '../limits.ts'

export const PROCESSOR_WEBHOOK_PATH = '/core/v1/billing/processor_webhook'
export const SVC_ACTION_PATH = '/core/v1/svc_action'

/**
 * Path of an action's wallet, served only by the origin. Clients fetch an action's key directly, because an
 * intermediary could substitute another key, and the client would pay or trust the wrong wallet.
 */
export const ACTION_WALLET_PATH = '/core/v1/get_svc_action_wallet'

const PATHS_WITH_SOURCE: readonly string[] = [SVC_ACTION_PATH, '/core/v1/get_svc_action_ipfs_id']

const PATHS_WITH_POLICY_OR_DATA: readonly string[] = [
  '/core/v1/create_wallet',
  '/core/v1/create_wallet_with_signature',
  '/core/v1/set_wallet_policy',
  '/core/v1/set_wallet_policy_with_signature',
  '/core/v1/simulate_signature',
  '/core/v1/send_transaction',
]

/** Returns the maximum body size for a path of the core API. */
export function coreBodyMaxBytes(path: string): number {
  if (PATHS_WITH_SOURCE.includes(path)) return CORE_BODY_MAX_BYTES
  return PATHS_WITH_POLICY_OR_DATA.includes(path) ? POLICY_BODY_MAX_BYTES : OPERATION_BODY_MAX_BYTES
}

const SEGMENT = '[A-Za-z0-9_~-][A-Za-z0-9_.~-]*'
const PROXIED_PATH = new RegExp(
  `^/(?:core/v1(?:/${SEGMENT})+|get_node_chain_config|attestation|attestation/bundle|info|evidences/?|evidences/${SEGMENT})$`,
)

/**
 * Returns true if the edge proxies the path. Only plain segments are allowed. Escaped or empty segments, or segments
 * that start with a dot, do not exist at the origin, and another hop could normalize them to different paths.
 */
export function isProxiedPath(path: string): boolean {
  return PROXIED_PATH.test(path) && path !== ACTION_WALLET_PATH
}
