import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import { nodeChainConfigResponse } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** Returns the chain configuration, without the RPC URL. */
function nodeChainConfigOperation(path: string): Operation {
  return {
    method: 'GET',
    path,
    summary:
      'Returns the name and ID of the chain, and the address of the contract that stores the accounts.',
    auth: 'none',
    responseSchema: nodeChainConfigResponse,
    handle: async (_given, { chain, settings }) => ({
      chain_name: settings.SVC_CHAIN_NAME,
      chain_id: Number(chain.chainId),
      contract_address: chain.contractAddress,
      is_evm: true,
      testnet: ENVIRONMENTS[settings.SVC_ENV].isTestnet,
      token: 'ETH',
    }),
  }
}

export const getNodeChainConfigOperation = nodeChainConfigOperation('/get_node_chain_config')
export const getNodeChainConfigCoreOperation = nodeChainConfigOperation(
  '/core/v1/get_node_chain_config',
)
