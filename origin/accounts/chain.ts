import { FetchRequest, Interface, JsonRpcProvider, Network } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'

/**
 * Thrown if the chain is unreachable or the mirrored state is too old. Unless the message states that a write may still
 * succeed, the operation was neither performed nor charged.
 */
export class ContractUnavailableError extends Error {
  override readonly name = 'ContractUnavailableError'
}

export type ContractChain = {
  provider: JsonRpcProvider
  chainId: bigint
  contractAddress: string
  /** Number of the block in which the contract was deployed. Earlier blocks are never read. */
  contractBlock: number
}

export const accountConfig = new Interface(accountConfigAbi)

export const RPC_TIMEOUT_MS = 5_000

/** Connects to the chain. The provider does not cache responses, and the chain ID is requested only once. */
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

/** The identifier is the same in all processes, and changes if a local chain is recreated. */
export async function chainIdentity({
  provider,
  chainId,
  ...contract
}: ContractChain): Promise<string> {
  const first = await provider.getBlock(contract.contractBlock)
  if (!first?.hash)
    throw new ContractUnavailableError('the node does not have the contract’s first block')
  return `${chainId}:${contract.contractAddress.toLowerCase()}:${first.hash}`
}
