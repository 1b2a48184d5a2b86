import { FetchRequest, Interface, JsonRpcProvider, Network } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'

/** The chain could not be asked, or has not been heard from for too long. Nothing was charged or changed. */
export class ChainUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ChainUnavailable'
  }
}

export type Chain = {
  provider: JsonRpcProvider
  chainId: bigint
  /** The `AccountConfig` diamond. */
  contractAddress: string
  /** The block it was deployed in: there is nothing to read before it. */
  contractBlock: number
}

export const accountConfig = new Interface(accountConfigAbi)

/** A request that takes longer than this is failed: the next one is asked anew. */
const RPC_TIMEOUT_MS = 5_000

/** A provider that neither caches answers nor asks for its chain id again and again. */
export async function connectChain(
  rpcUrl: string,
  contract: { address: string; block: number },
): Promise<Chain> {
  const request = new FetchRequest(rpcUrl)
  request.timeout = RPC_TIMEOUT_MS
  const probe = new JsonRpcProvider(request, undefined, { cacheTimeout: -1 })
  const chainId = await firstAnswer(() => probe.send('eth_chainId', [])).finally(() =>
    probe.destroy(),
  )
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

async function firstAnswer(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask()
  } catch (error) {
    throw new ChainUnavailable('the chain does not answer eth_chainId', { cause: error })
  }
}
