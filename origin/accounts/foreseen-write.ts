import type { AccountsMirror } from './mirror.ts'
import { accountConfig, type Chain } from './chain.ts'
import { simulate } from './writer/simulate.ts'

/**
 * What an admin wallet is about to send to the contract, asked of the contract beforehand: the wallet hears of a
 * refusal before it has paid gas for it. Nothing is sent.
 * @param adminWallet the sender
 * @throws {ContractRefused | ChainUnavailable}
 */
export async function requireAccepted(
  adminWallet: string,
  functionName: string,
  args: readonly unknown[],
  { chain, mirror }: { chain: Chain; mirror: Pick<AccountsMirror, 'block'> },
): Promise<void> {
  const data = accountConfig.encodeFunctionData(functionName, args)
  const call = { from: adminWallet, to: chain.contractAddress, data }
  await simulate(chain.provider, call, () => mirror.block)
}
