import { badResponse, EndpointError, rpcErrorKind } from './endpoint-error.ts'
import type { RpcResponse, RpcCall } from './json-rpc.ts'

export const codeCall = (address: string): RpcCall => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
})

/** @throws {EndpointError} if the response is an error or malformed */
export function parseHasCode(answer: RpcResponse): boolean {
  if ('error' in answer) throw new EndpointError(rpcErrorKind(answer.error.code))
  if (typeof answer.result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer.result))
    throw badResponse('the code is not hex')
  return answer.result !== '0x'
}
