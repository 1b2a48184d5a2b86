import { ContractFactory, Interface, JsonRpcProvider } from 'ethers'
import type { Provider, Signer, TransactionReceipt } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import artifacts from './artifacts.json' with { type: 'json' }

export type DeployedAccountConfig = {
  address: string
  /** Deployment block. A mirror that reads events from this block on misses no event. */
  block: number
  chainId: number
}

type AccountConfigDeployment = ({ rpcUrl: string } | { provider: Provider }) & {
  /** Signer that pays for the deployment and becomes the diamond's owner. */
  signer: Signer
  /** Wallets that may write to managed accounts from the first block on (at most 50). */
  payers: readonly string[]
  nodeConfiguration?: Readonly<Record<string, string>>
}

/** Values of `FacetCutAction` (EIP-2535). */
export const FACET_CUT_ACTION = { add: 0, replace: 1, remove: 2 } as const

/** @throws if a transaction is rejected or reverts; facets that were already deployed then remain unused */
export async function deployAccountConfig(
  deployment: AccountConfigDeployment,
): Promise<DeployedAccountConfig> {
  if ('provider' in deployment) return deploy(deployment.provider, deployment)
  // Polls often, because ethers' default interval of four seconds would dominate the duration of the deployment.
  const provider = new JsonRpcProvider(deployment.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 100,
  })
  try {
    return await deploy(provider, deployment)
  } finally {
    provider.destroy()
  }
}

async function deploy(
  provider: Provider,
  { signer, payers, nodeConfiguration = {} }: AccountConfigDeployment,
): Promise<DeployedAccountConfig> {
  const owner = signer.provider === provider ? signer : signer.connect(provider)
  const facets = Object.values(artifacts.facets)
  // Each facet is mined before the next one is sent. If anvil mines a transaction while the next one arrives, it may
  // never mine that next one.
  const mined: { address: string }[] = []
  for (const { bytecode } of facets) {
    const transaction = await owner.sendTransaction({ data: bytecode })
    mined.push(createdContract(await transaction.wait()))
  }

  const cuts = facets.map(({ selectors }, index) => ({
    target: mined[index]?.address,
    action: FACET_CUT_ACTION.add,
    selectors: Object.values(selectors),
  }))
  const functions = new Interface(accountConfigAbi)
  const calls = Object.entries(nodeConfiguration).map((entry) =>
    functions.encodeFunctionData('setNodeConfiguration', entry),
  )
  if (payers.length > 0) calls.unshift(functions.encodeFunctionData('setApiPayers', [payers, true]))
  const factory = new ContractFactory(artifacts.diamond.abi, artifacts.diamond.bytecode)
  const diamond = await owner.sendTransaction(await factory.getDeployTransaction(cuts, calls))
  const { address, block } = createdContract(await diamond.wait())
  return { address, block, chainId: Number((await provider.getNetwork()).chainId) }
}

export function createdContract(receipt: TransactionReceipt | null): {
  address: string
  block: number
} {
  if (!receipt?.contractAddress) throw new Error('the transaction did not create a contract')
  return { address: receipt.contractAddress, block: receipt.blockNumber }
}
