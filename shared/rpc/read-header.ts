import type { BlockHeader } from './block-header.ts'
import { badResponse, EndpointError, rpcErrorKind } from './endpoint-error.ts'
import type { RpcResponse, RpcCall, RpcError } from './json-rpc.ts'
import { parseHex, parseQuantity, encodeQuantity } from './quantities.ts'
import { NodeLaggingError } from './chain-read-errors.ts'

export const headerCall = (block: number | 'latest' | 'safe' | 'finalized'): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? encodeQuantity(block) : block, false],
})

export const headerByHashCall = (hash: string): RpcCall => ({
  method: 'eth_getBlockByHash',
  params: [hash, false],
})

/** @throws {EndpointError} `bad_answer` if the header is malformed */
export function parseBlockHeader(value: unknown): BlockHeader {
  if (typeof value !== 'object' || value === null) throw badResponse('a block is not an object')
  const block = value as Record<string, unknown>
  return {
    number: parseQuantity(block['number'], "a block's number"),
    hash: parseHex(block['hash'], "a block's hash", 32),
    parentHash: parseHex(block['parentHash'], "a block's parent hash", 32),
    timestamp: parseQuantity(block['timestamp'], "a block's timestamp"),
    logsBloom: parseHex(block['logsBloom'], "a block's bloom", 256),
  }
}

/**
 * @throws {NodeLaggingError} if the node does not have the block
 * @throws {EndpointError}
 */
export function requireHeader(answer: RpcResponse, number: number): BlockHeader {
  const header = parseBlockHeader(requireResult(answer))
  if (header.number !== number) throw badResponse('a block has a different number than requested')
  return header
}

/**
 * @throws {NodeLaggingError} if the node responds that it does not have the block
 * @throws {EndpointError} for any other error
 */
export function requireResult(answer: RpcResponse): unknown {
  if ('result' in answer) {
    if (answer.result === null) throw new NodeLaggingError('the node does not have the block')
    return answer.result
  }
  if (isUnknownBlock(answer.error)) throw new NodeLaggingError('the node does not have the block')
  throw new EndpointError(rpcErrorKind(answer.error.code))
}

/** Detects the errors that geth, Erigon, Nethermind, Besu and reth return for an unknown or future block. */
export function isUnknownBlock({ code, message }: RpcError): boolean {
  return (
    code === -39001 ||
    /(?:unknown|future) block|(?:block|header|resource)(?: \S+)? (?:is )?not (?:found|available|known)|beyond (?:the )?(?:current |latest )?(?:head|block)|after last accepted|not yet/i.test(
      message,
    )
  )
}

/**
 * Parses the header of a block tag. Returns null if the provider does not serve the tag, or if the chain has no such
 * block yet.
 * @throws {EndpointError} for any other error
 */
export function parseTaggedHeader(answer: RpcResponse): BlockHeader | null {
  if ('result' in answer) return answer.result === null ? null : parseBlockHeader(answer.result)
  const { error } = answer
  const isUnsupported =
    isUnknownBlock(error) ||
    [-32600, -32601, -32602, -32001].includes(error.code) ||
    /unsupported|not supported|invalid|does not exist/i.test(error.message)
  if (isUnsupported) return null
  throw new EndpointError(rpcErrorKind(error.code))
}
