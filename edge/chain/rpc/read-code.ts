import { badAnswer, EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'

export const codeCall = (address: string): RpcCall => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
})

/** @throws {EndpointFailed} if the response is an error or malformed */
export function hasCodeIn(answer: RpcAnswer): boolean {
  if ('error' in answer) throw new EndpointFailed(rpcErrorKind(answer.error.code))
  if (typeof answer.result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer.result))
    throw badAnswer('the code is not hex')
  return answer.result !== '0x'
}
