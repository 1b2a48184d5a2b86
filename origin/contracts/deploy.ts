import { ContractFactory, Interface, JsonRpcProvider } from 'ethers'
import type { Provider, Signer, TransactionReceipt, TransactionResponse } from 'ethers'
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
  const nonce = await owner.getNonce('pending')
  // The facets are independent of each other, so none of them waits for the receipt of another. They are sent in order,
  // because anvil may never mine a transaction that arrived before its predecessor.
  const sent: TransactionResponse[] = []
  for (const [index, { bytecode }] of facets.entries())
    sent.push(await owner.sendTransaction({ data: bytecode, nonce: nonce + index }))
  const mined = await Promise.all(
    sent.map(async (transaction) => createdContract(await transaction.wait())),
  )

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
  const diamond = await owner.sendTransaction({
    ...(await factory.getDeployTransaction(cuts, calls)),
    nonce: nonce + facets.length,
  })
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
