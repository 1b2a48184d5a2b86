import { Interface, type JsonRpcApiProvider, Network } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import { ChainNodes, type NodesOptions } from './nodes/chain-nodes.ts'
import { NodesProvider } from './nodes/nodes-provider.ts'

/**
 * Thrown if the chain is unreachable or the mirrored state is too old. Unless the message states that a write may still
 * succeed, the operation was neither performed nor charged.
 */
export class ContractUnavailableError extends Error {
  override readonly name = 'ContractUnavailableError'
}

export type ContractChain = {
  nodes: ChainNodes
  /** Sends its requests to `nodes`. */
  provider: JsonRpcApiProvider
  chainId: bigint
  contractAddress: string
  /** Number of the block in which the contract was deployed. Earlier blocks are never read. */
  contractBlock: number
}

export const accountConfig = new Interface(accountConfigAbi)

/**
 * Connects to the chain. The provider does not cache responses. Each node must serve the chain whose ID the quorum
 * returns.
 */
export async function connectChain(
  urls: readonly string[],
  contract: { address: string; block: number },
  { log = () => {}, ...given }: Partial<NodesOptions> = {},
): Promise<ContractChain> {
  const options: NodesOptions = {
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    random: Math.random,
    log,
    ...given,
  }
  const chainId = await new ChainNodes(urls, undefined, { ...options, log: () => {} })
    .chainId()
    .catch((cause: unknown) => {
      throw new ContractUnavailableError('the nodes did not respond to eth_chainId', { cause })
    })
  const network = Network.from(chainId)
  const nodes = new ChainNodes(urls, chainId, options)
  return {
    nodes,
    provider: new NodesProvider(nodes, network),
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
