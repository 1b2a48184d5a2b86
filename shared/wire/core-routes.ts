/**
 * Origin routes that the edge proxies (docs/decisions/0022). The edge routes by this list, and the origin enforces it.
 */

export const PROCESSOR_WEBHOOK_PATH = '/core/v1/billing/processor_webhook'
export const SVC_ACTION_PATH = '/core/v1/svc_action'

/**
 * Served by the origin only: clients fetch an action's public key directly from it, never through an intermediary. An
 * intermediary could substitute another key, and the client would pay or trust the wrong wallet.
 */
export const ACTION_WALLET_PATH = '/core/v1/get_svc_action_wallet'

/** Paths that accept bodies of up to `CORE_BODY_MAX_BYTES`. All others accept `OPERATION_BODY_MAX_BYTES`. */
export const PATHS_WITH_SOURCE: readonly string[] = [
  SVC_ACTION_PATH,
  '/core/v1/get_svc_action_ipfs_id',
]

const SEGMENT = '[A-Za-z0-9_~-][A-Za-z0-9_.~-]*'
const PASSED_ON = new RegExp(
  `^/(?:core/v1(?:/${SEGMENT})+|get_node_chain_config|attestation|info|evidences/?|evidences/${SEGMENT})$`,
)

/**
 * Returns true if the edge proxies this path. Allows plain segments only: an escaped or empty segment, or one with a
 * leading dot, is never an origin path, and another hop could normalize it to a different one.
 */
export function isPassedOn(path: string): boolean {
  return PASSED_ON.test(path) && path !== ACTION_WALLET_PATH
}
