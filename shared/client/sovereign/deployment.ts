import { publicRead } from '../core/core-calls.ts'
import type { NodeChainConfig } from '../core/common-operations.ts'
import type { Requester } from '../request.ts'
import { WrongContract } from './transaction-failures.ts'

export type Deployment = { chainId: bigint; contractAddress: string }

type Parts = {
  requester: Requester
  verified: (signal: AbortSignal | undefined) => Promise<void>
  /** Expected address of the contract. Any other address is rejected. Undefined accepts any address. */
  pinned: string | undefined
}

/**
 * Returns the deployment. The service is asked for it once, after the origin's evidence was verified. The response is
 * not signed, so without verification, an intermediary could name another contract. A transaction to that contract
 * would waste gas, but would not affect the account.
 */
export function deploymentOf(parts: Parts): () => Promise<Deployment> {
  // Caches the value instead of the promise. In a Worker, a promise that belongs to a finished request may never
  // settle.
  let known: Deployment | undefined
  return async () => (known ??= await fetchDeployment(parts))
}

async function fetchDeployment({ requester, verified, pinned }: Parts): Promise<Deployment> {
  await verified(undefined)
  const { chain_id, contract_address } = await publicRead<NodeChainConfig>(
    requester,
    'get_node_chain_config',
  )
  if (!Number.isSafeInteger(chain_id) || !/^0x[0-9a-fA-F]{40}$/.test(contract_address))
    throw new WrongContract(contract_address, 'not a contract on a chain', CHECK_DEPLOYMENT_FIX)
  if (pinned !== undefined && pinned.toLowerCase() !== contract_address.toLowerCase())
    throw new WrongContract(
      contract_address,
      `the client is pinned to ${pinned}`,
      CHECK_DEPLOYMENT_FIX,
    )
  return { chainId: BigInt(chain_id), contractAddress: contract_address }
}

const CHECK_DEPLOYMENT_FIX =
  'Check that baseUrl is the service’s, and which contract its operator names.'
