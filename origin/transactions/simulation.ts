import { type JsonRpcApiProvider, toQuantity } from 'ethers'
import { isUnknownBlock } from '../../shared/rpc/read-header.ts'
import { revertReason } from './revert-reason.ts'
import { isHalt, isInsufficientFunds, rpcFailureOf } from './rpc-failure.ts'

export type Rpc = Pick<JsonRpcApiProvider, 'send'>

export type SimulatedCall = {
  from: string
  to: string
  data: string
  value: bigint
  /** Gas limit of the request. */
  gasLimit: bigint | undefined
  /** Signatures of custom errors. */
  errors: readonly string[]
}

export type Simulation =
  | { outcome: 'passed'; gas: bigint }
  | { outcome: 'reverted'; reason: string }
  | { outcome: 'unaffordable' }

/**
 * Executes a call on the state after the pending transactions, and estimates its gas.
 * @throws if no node executes the call
 */
export async function simulate(provider: Rpc, call: SimulatedCall): Promise<Simulation> {
  try {
    const gas = await provider.send('eth_estimateGas', [rpcCall(call), 'pending'])
    return { outcome: 'passed', gas: BigInt(gas) }
  } catch (error) {
    const failure = rpcFailureOf(error)
    if (failure && isInsufficientFunds(failure)) return { outcome: 'unaffordable' }
    if (failure && isHalt(failure))
      return { outcome: 'reverted', reason: revertReason(failure, call.errors) }
    throw error
  }
}

/**
 * Executes a call at a block.
 * @returns the reason of the revert, or undefined if the call does not revert
 * @throws if the nodes do not respond, do not agree, or do not have the block
 */
export async function revertAt(
  provider: Rpc,
  call: SimulatedCall,
  block: number,
): Promise<string | undefined> {
  try {
    await provider.send('eth_call', [rpcCall(call), toQuantity(block)])
    return undefined
  } catch (error) {
    const failure = rpcFailureOf(error)
    if (!failure || isUnknownBlock(failure)) throw error
    return isHalt(failure) ? revertReason(failure, call.errors) : undefined
  }
}

function rpcCall({ from, to, data, value, gasLimit }: SimulatedCall): object {
  return {
    from,
    to,
    data,
    value: toQuantity(value),
    ...(gasLimit !== undefined && { gas: toQuantity(gasLimit) }),
  }
}

/** Gas of a transfer to an account without code. It does not depend on the state. */
const TRANSFER_GAS = 21_000n

/** Highest gas limit of a transaction on Ethereum and the chains that follow it (EIP-7825). */
const COMMON_GAS_MAX = 16_777_216n

/**
 * Returns the gas limit that was requested, or one a fifth above the estimate, because the state may change before the
 * transaction is mined. Nodes reject a transaction above their limit only after it was signed, and not every chain has
 * the common limit. So it applies if the transaction does not need more.
 * @param requested gas limit of the request
 * @param max gas limit of a block
 */
export function gasLimitOf(estimate: bigint, requested: bigint | undefined, max: bigint): bigint {
  const reserved = estimate === TRANSFER_GAS ? estimate : (estimate * 12n) / 10n
  const limit = requested ?? (reserved < max ? reserved : max)
  return limit > COMMON_GAS_MAX && estimate <= COMMON_GAS_MAX ? COMMON_GAS_MAX : limit
}
