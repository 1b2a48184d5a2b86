import type { AccountsMirror } from './mirror.ts'
import { accountConfig, type ContractChain } from './chain.ts'
import { simulate } from './writer/simulate.ts'

/**
 * Reports a revert before the admin wallet pays gas for it. Does not send a transaction.
 * @throws {ContractRevertError | ChainUnavailable}
 */
export async function simulateAdminWrite(
  adminWallet: string,
  functionName: string,
  args: readonly unknown[],
  { chain, mirror }: { chain: ContractChain; mirror: Pick<AccountsMirror, 'block'> },
): Promise<void> {
  const data = accountConfig.encodeFunctionData(functionName, args)
  const call = { from: adminWallet, to: chain.contractAddress, data }
  await simulate(chain.provider, call, () => mirror.block)
}
