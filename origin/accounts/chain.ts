import { FetchRequest, Interface, JsonRpcProvider, Network } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'

/** The chain is unreachable, or the mirrored state is too old. The operation was neither performed nor charged. */
export class ContractUnavailableError extends Error {
  override readonly name = 'ContractUnavailableError'
}

export type ContractChain = {
  provider: JsonRpcProvider
  chainId: bigint
  /** The `AccountConfig` contract, a diamond (ERC-2535). */
  contractAddress: string
  /** Block of the deployment. Earlier blocks are never read. */
  contractBlock: number
}

export const accountConfig = new Interface(accountConfigAbi)

export const RPC_TIMEOUT_MS = 5_000

/** The provider does not cache responses, and requests the chain ID only once. */
export async function connectChain(
  rpcUrl: string,
  contract: { address: string; block: number },
): Promise<ContractChain> {
  const request = new FetchRequest(rpcUrl)
  request.timeout = RPC_TIMEOUT_MS
  const probe = new JsonRpcProvider(request, undefined, { cacheTimeout: -1 })
  const chainId = await probe
    .send('eth_chainId', [])
    .catch((cause: unknown) => {
      throw new ContractUnavailableError('the node did not respond to eth_chainId', { cause })
    })
    .finally(() => probe.destroy())
  const network = Network.from(BigInt(chainId))
  const options = { staticNetwork: network, cacheTimeout: -1, batchStallTime: 0 }
  const provider = new JsonRpcProvider(request, network, options)
  return {
    provider,
    chainId: network.chainId,
    contractAddress: contract.address,
    contractBlock: contract.block,
  }
}
