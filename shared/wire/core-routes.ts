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
