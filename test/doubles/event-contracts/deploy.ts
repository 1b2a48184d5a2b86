/** Contracts that emit watched events, for test chains. */
import { type BaseContract, ContractFactory, type Signer } from 'ethers'
import { compileFolder } from '../../../origin/contracts/compile.ts'

const NAMES = ['Token', 'Items', 'Pair', 'Layouts'] as const
export type EventContract = (typeof NAMES)[number]

let compiled: ReturnType<typeof compileFolder> | undefined

export async function deployEventContract(
  signer: Signer,
  name: EventContract,
): Promise<BaseContract> {
  compiled ??= compileFolder(new URL('.', import.meta.url), NAMES)
  const { abi, bytecode } = compiled[name]!
  return (await new ContractFactory(abi, bytecode, signer).deploy()).waitForDeployment()
}
