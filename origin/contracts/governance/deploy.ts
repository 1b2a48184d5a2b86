/** Deploys the governance contract from the committed artifact. */
import { ContractFactory, type Signer } from 'ethers'
import { created } from '../deploy.ts'
import artifact from './artifact.json' with { type: 'json' }

/**
 * Deploys it with nothing allowed.
 * @param signer pays, and has no say afterwards unless it is a member
 * @param threshold members that a change takes: at least 2
 * @returns its address, which is the application's id, and its first block
 * @throws when the transaction is refused or reverts
 */
export async function deployGovernance(
  signer: Signer,
  members: readonly string[],
  threshold: number,
): Promise<{ address: string; block: number }> {
  const factory = new ContractFactory(artifact.abi, artifact.bytecode)
  const transaction = await factory.getDeployTransaction(members, threshold)
  return created(await (await signer.sendTransaction(transaction)).wait())
}
