import type { BlockHeader } from '../block-header.ts'
import { badAnswer, EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import type { RpcAnswer, RpcCall, RpcError } from './json-rpc.ts'
import { hexIn, numberIn, quantity } from './quantities.ts'
import { NodeLags } from './rpc-failures.ts'

export const headerCall = (block: number | 'latest' | 'safe' | 'finalized'): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? quantity(block) : block, false],
})

export const headerByHashCall = (hash: string): RpcCall => ({
  method: 'eth_getBlockByHash',
  params: [hash, false],
})

/** @throws {EndpointFailed} `bad_answer` if the header is malformed */
export function headerIn(value: unknown): BlockHeader {
  if (typeof value !== 'object' || value === null) throw badAnswer('a block is not an object')
  const block = value as Record<string, unknown>
  return {
    number: numberIn(block['number'], "a block's number"),
    hash: hexIn(block['hash'], "a block's hash", 32),
    parentHash: hexIn(block['parentHash'], "a block's parent hash", 32),
    timestamp: numberIn(block['timestamp'], "a block's timestamp"),
    logsBloom: hexIn(block['logsBloom'], "a block's bloom", 256),
  }
}

/**
 * @throws {NodeLags}
 * @throws {EndpointFailed}
 */
export function headerAt(answer: RpcAnswer, number: number): BlockHeader {
  const header = headerIn(existing(answer))
  if (header.number !== number) throw badAnswer('a block has a different number than requested')
  return header
}

/**
 * @throws {NodeLags} if the node responds that it does not have the block
 * @throws {EndpointFailed} for any other error
 */
export function existing(answer: RpcAnswer): unknown {
  if ('result' in answer) {
    if (answer.result === null) throw new NodeLags('the node does not have the block')
    return answer.result
  }
  if (isUnknownBlock(answer.error)) throw new NodeLags('the node does not have the block')
  throw new EndpointFailed(rpcErrorKind(answer.error.code))
}

/** Errors of geth, Erigon, Nethermind, Besu and reth for an unknown or future block. */
export function isUnknownBlock({ code, message }: RpcError): boolean {
  return (
    code === -39001 ||
    /(?:unknown|future) block|(?:block|header|resource)(?: \S+)? (?:is )?not (?:found|available|known)|beyond (?:the )?(?:current |latest )?(?:head|block)|after last accepted|not yet/i.test(
      message,
    )
  )
}

/**
 * Null if the provider does not serve the tag or the chain has no such block yet.
 * @throws {EndpointFailed} for any other error
 */
export function taggedHeader(answer: RpcAnswer): BlockHeader | null {
  if ('result' in answer) return answer.result === null ? null : headerIn(answer.result)
  const { error } = answer
  const saysNo =
    isUnknownBlock(error) ||
    [-32600, -32601, -32602, -32001].includes(error.code) ||
    /unsupported|not supported|invalid|does not exist/i.test(error.message)
  if (saysNo) return null
  throw new EndpointFailed(rpcErrorKind(error.code))
}
