import { isError } from 'ethers'
import { saysHalt } from '../accounts/nodes/halts.ts'
import { isUnderpricedError } from '../accounts/writer/transaction.ts'

/** JSON-RPC error of a node. Its text is shown to the owner of the wallet, but never logged. */
export type RpcFailure = { code: number; message: string; data: string | undefined }

/** Returns undefined if the error is not a response of a node. */
export function rpcFailureOf(error: unknown): RpcFailure | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { info, error: direct } = error as { info?: { error?: unknown }; error?: unknown }
  const found = info?.error ?? direct
  if (typeof found !== 'object' || found === null) return undefined
  const { code, message, data } = found as { code?: unknown; message?: unknown; data?: unknown }
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    data: revertData(data),
  }
}

/** Nodes return the data as hex, within a text, or within an object. */
function revertData(data: unknown): string | undefined {
  if (typeof data === 'string') return /0x[0-9a-f]*/i.exec(data)?.[0].toLowerCase()
  if (typeof data !== 'object' || data === null) return undefined
  return revertData((data as { data?: unknown }).data)
}

/** True if a node executed a call, and the call failed. */
export function isHalt({ code, message, data }: RpcFailure): boolean {
  return code === 3 || data !== undefined || saysHalt(message)
}

export function isInsufficientFunds(failure: RpcFailure): boolean {
  return !/revert/i.test(failure.message) && /insufficient (funds|balance)/i.test(failure.message)
}

/**
 * How a node responded to signed bytes. The response never proves anything about the chain, because nodes lag, and
 * because the response to an earlier request may have been lost.
 *
 * - `accepted`: the node has the transaction
 * - `underpriced`: the fees are too low for the block, or to replace another transaction with the nonce
 * - `nonce_used`: the node believes that the nonce was used
 * - `unaffordable`: the node believes that the wallet cannot pay
 * - `unknown`: no response, or any other error
 */
export type BroadcastOutcome =
  | 'accepted'
  | 'underpriced'
  | 'nonce_used'
  | 'unaffordable'
  | 'unknown'

/** geth, Nethermind, Erigon, Besu and OpenEthereum use different texts. */
const KNOWN = /already (known|imported|exists)|known transaction|ALREADY_EXISTS/i

export function broadcastFailure(error: unknown): BroadcastOutcome {
  const message = rpcFailureOf(error)?.message ?? ''
  if (KNOWN.test(message)) return 'accepted'
  if (isError(error, 'NONCE_EXPIRED')) return 'nonce_used'
  if (isError(error, 'REPLACEMENT_UNDERPRICED') || isUnderpricedError(error)) return 'underpriced'
  if (isError(error, 'INSUFFICIENT_FUNDS')) return 'unaffordable'
  return 'unknown'
}
