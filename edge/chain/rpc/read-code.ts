import { badAnswer, EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'

export const codeCall = (address: string): RpcCall => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
})

/** @throws {EndpointFailed} */
export function hasCodeIn(answer: RpcAnswer): boolean {
  if ('error' in answer) throw new EndpointFailed(rpcErrorKind(answer.error.code))
  if (typeof answer.result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer.result))
    throw badAnswer('code is no hex')
  return answer.result !== '0x'
}
