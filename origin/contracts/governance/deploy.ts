import { ContractFactory, type Signer } from 'ethers'
import { createdContract } from '../deploy.ts'
import artifact from './artifact.json' with { type: 'json' }

/**
 * Deploys the governance contract from the committed artifact. At first, no compose hash is allowed.
 * @param signer pays for the deployment, and has no rights afterwards unless it is a member
 * @param threshold number of members required for a change, at least 2
 * @returns the contract's address, which is the app ID, and the block of its deployment
 * @throws if the transaction is rejected or reverts
 */
export async function deployGovernance(
  signer: Signer,
  members: readonly string[],
  threshold: number,
): Promise<{ address: string; block: number }> {
  const factory = new ContractFactory(artifact.abi, artifact.bytecode)
  const transaction = await factory.getDeployTransaction(members, threshold)
  return createdContract(await (await signer.sendTransaction(transaction)).wait())
}
