import {
  ALLOWED_COMPOSE_HASHES,
  type GovernanceDecision,
} from '../../attestation/rules/governance.ts'
import { callNode, type Node, NodeError } from './node.ts'

/** Maximum size of a node's response, far more than a 32-byte word in a JSON-RPC envelope needs. */
const RESPONSE_MAX_BYTES = 10_000

/** The node returned no usable response, so the contract's decision is unknown. */
export class GovernanceUnknownError extends Error {
  override name = 'GovernanceUnknownError'
}

/**
 * @param appId the contract's address, as hex of 20 bytes without 0x
 * @param composeHash hex of 32 bytes without 0x
 * @throws {GovernanceUnknownError}
 */
export async function askGovernance(
  rpcUrl: string,
  appId: string,
  composeHash: string,
  fetch: typeof globalThis.fetch,
): Promise<GovernanceDecision> {
  const node: Node = { url: rpcUrl, fetch, maxBytes: RESPONSE_MAX_BYTES }
  const chainId = await call(node, 'eth_chainId', [])
  if (!/^0x[0-9a-f]{1,13}$/.test(chainId))
    throw new GovernanceUnknownError('the node returned no valid chain ID')
  const data = `${ALLOWED_COMPOSE_HASHES}${composeHash}`
  const word = await call(node, 'eth_call', [{ to: `0x${appId}`, data }, 'latest'])
  if (word === '0x')
    throw new GovernanceUnknownError(`no contract exists at 0x${appId} on chain ${Number(chainId)}`)
  if (!/^0x0{63}[01]$/.test(word))
    throw new GovernanceUnknownError(`the contract at 0x${appId} is not a governance contract`)
  return { chain_id: Number(chainId), allowed: word.endsWith('1') }
}

async function call(node: Node, method: string, params: unknown[]): Promise<string> {
  try {
    const result = await callNode(node, method, params)
    if (typeof result === 'string') return result.toLowerCase()
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    throw new GovernanceUnknownError(error.message, { cause: error })
  }
  throw new GovernanceUnknownError(`the node rejected ${method}: no result`)
}
