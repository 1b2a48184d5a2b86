import { type BaseContract, ContractFactory, type Signer } from 'ethers'
import { compileFolder } from '../../contracts/compile.ts'

/** The deployer receives the entire supply. */
export async function deployDemoToken(signer: Signer): Promise<BaseContract> {
  const { abi, bytecode } = compileFolder(new URL('.', import.meta.url), ['DemoToken'])[
    'DemoToken'
  ]!
  const token = await new ContractFactory(abi, bytecode, signer).deploy()
  return token.waitForDeployment()
}
