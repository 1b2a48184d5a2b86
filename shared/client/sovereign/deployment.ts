/** Where the accounts are: which contract, on which chain. */
import type { z } from 'zod'
import type { nodeChainConfigAnswer } from '../../wire/core.ts'
import type { Requester } from '../request.ts'
import { WrongContract } from './transaction-failures.ts'

export type Deployment = { chainId: bigint; contractAddress: string }

type Parts = {
  requester: Requester
  verified: (signal: AbortSignal | undefined) => Promise<void>
  /** The contract's address as the caller knows it; any other is refused. */
  pinned: string | undefined
}

/**
 * Asks the origin once, after its evidence. The answer itself has no signature: who stands between the client and an
 * origin that it does not verify could name another contract. There a transaction changes nothing of the account; its
 * gas is lost.
 */
export function deploymentOf(parts: Parts): () => Promise<Deployment> {
  // What was answered, and no promise of it: in a Worker one of a request that is over never ends.
  let known: Deployment | undefined
  return async () => (known ??= await ask(parts))
}

async function ask({ requester, verified, pinned }: Parts): Promise<Deployment> {
  await verified(undefined)
  const { body } = await requester.core<z.infer<typeof nodeChainConfigAnswer>>({
    method: 'GET',
    path: '/core/v1/get_node_chain_config',
    repeat: 'idempotent',
  })
  const { chain_id, contract_address } = body
  if (!Number.isSafeInteger(chain_id) || !/^0x[0-9a-fA-F]{40}$/.test(contract_address))
    throw new WrongContract(contract_address, 'that is no contract of a chain', LOOK)
  if (pinned !== undefined && pinned.toLowerCase() !== contract_address.toLowerCase())
    throw new WrongContract(contract_address, `the client is pinned to ${pinned}`, LOOK)
  return { chainId: BigInt(chain_id), contractAddress: contract_address }
}

const LOOK = 'Look whether baseUrl is that of the service, and which contract its operator names.'
