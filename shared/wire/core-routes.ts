/**
 * Paths of the origin that the edge proxies (docs/decisions/0022). The edge forwards only these paths, and the origin
 * rejects sealed requests for other paths.
 */

export const PROCESSOR_WEBHOOK_PATH = '/core/v1/billing/processor_webhook'
export const SVC_ACTION_PATH = '/core/v1/svc_action'

/**
 * Path of an action's public key, which only the origin serves. Clients fetch the key directly from the origin. An
 * intermediary could substitute another key, and the client would pay or trust the wrong wallet.
 */
export const ACTION_WALLET_PATH = '/core/v1/get_svc_action_wallet'

/**
 * Paths that accept bodies of up to `CORE_BODY_MAX_BYTES`. All other paths accept bodies of up to
 * `OPERATION_BODY_MAX_BYTES`.
 */
export const PATHS_WITH_SOURCE: readonly string[] = [
  SVC_ACTION_PATH,
  '/core/v1/get_svc_action_ipfs_id',
]

const SEGMENT = '[A-Za-z0-9_~-][A-Za-z0-9_.~-]*'
const PASSED_ON = new RegExp(
  `^/(?:core/v1(?:/${SEGMENT})+|get_node_chain_config|attestation|info|evidences/?|evidences/${SEGMENT})$`,
)

/**
 * Returns true if the edge proxies a path. Only plain segments are allowed. Paths with escaped or empty segments, or
 * with segments that start with a dot, do not exist at the origin, and another hop could normalize them to different
 * paths.
 */
export function isPassedOn(path: string): boolean {
  return PASSED_ON.test(path) && path !== ACTION_WALLET_PATH
}
