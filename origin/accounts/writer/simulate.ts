import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonRpcApiProvider, toQuantity, type Provider, type TransactionReceipt } from 'ethers'
import { accountConfig, type ContractChain, ContractUnavailableError } from '../chain.ts'
import type { AccountsMirror } from '../mirror.ts'
import { ContractRevertError, decodeRevert } from './contract-revert.ts'

type SimulatedCall = { from: string; to: string; data: string }

/** Maximum time for which a node behind a load balancer may lag. After this time, the node is considered broken. */
const LAG_MAX_MS = 5_000
const LAG_POLL_MS = 100

/**
 * Estimates the gas of a call. A revert is accepted only from a node with all blocks that this process has seen,
 * because a lagging node might report that a newly created account does not exist.
 * @throws {ContractRevertError | ContractUnavailableError}
 */
export async function simulate(
  provider: JsonRpcApiProvider,
  call: SimulatedCall,
  seenBlock: () => number,
): Promise<bigint> {
  const began = performance.now()
  while (performance.now() - began < LAG_MAX_MS) {
    const [head, estimate] = await Promise.allSettled([
      provider.getBlockNumber(),
      provider.estimateGas(call),
    ])
    if (estimate.status === 'fulfilled') return estimate.value
    if (!decodeRevert(estimate.reason) || head.status === 'rejected')
      throw new ContractUnavailableError('the write could not be simulated', {
        cause: estimate.reason,
      })
    const block = Math.max(seenBlock(), head.value)
    const refusal = await revertAt(provider, call, block)
    if (refusal) throw refusal
    const gas = await gasAt(provider, call, block)
    if (gas !== undefined) return gas
    await sleep(LAG_POLL_MS)
  }
  throw new ContractUnavailableError('its nodes lag behind blocks that they returned before')
}

/**
 * Reports a revert before the admin wallet pays gas for it.
 * @throws {ContractRevertError | ContractUnavailableError}
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

/** Returns undefined if the call fails, for example because the node does not have the block. */
async function gasAt(provider: JsonRpcApiProvider, call: SimulatedCall, block: number) {
  try {
    return BigInt(await provider.send('eth_estimateGas', [call, toQuantity(block)]))
  } catch {
    return undefined
  }
}

export async function revertReason(
  provider: Provider,
  receipt: TransactionReceipt,
  data: string,
): Promise<Error> {
  const call = { from: receipt.from, to: receipt.to ?? '', data }
  const refusal = await revertAt(provider, call, receipt.blockNumber)
  return refusal ?? new ContractRevertError('reverted')
}

/** Returns undefined if the call succeeds, or the node does not have the block. */
async function revertAt(provider: Provider, call: SimulatedCall, blockTag: number) {
  try {
    await provider.call({ ...call, blockTag })
    return undefined
  } catch (error) {
    return decodeRevert(error)
  }
}
