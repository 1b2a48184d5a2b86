import type { Endpoint } from '../../../shared/rpc/endpoint.ts'
import { EndpointError, rpcErrorKind } from '../../../shared/rpc/endpoint-error.ts'
import type { RpcCall, RpcResponse } from '../../../shared/rpc/json-rpc.ts'
import { requireResult } from '../../../shared/rpc/read-header.ts'

type PendingCall = {
  call: RpcCall
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Batches JSON-RPC calls to one node. Calls made in the same tick form one request, so that their results are
 * consistent even if the node is a load balancer.
 */
export class RpcBatch {
  readonly #endpoint: Endpoint
  #pending: PendingCall[] = []

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /**
   * @throws {NodeLaggingError} if the node does not have the block
   * @throws {EndpointError}
   */
  send(call: RpcCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) queueMicrotask(() => void this.#flush())
      this.#pending.push({ call, resolve, reject })
    })
  }

  async #flush(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    const calls = pending.map(({ call }) => call)
    try {
      const answers = await this.#endpoint.call(calls, 'live')
      for (const [index, one] of pending.entries()) settle(one, answers[index]!)
    } catch (error) {
      for (const { reject } of pending) reject(error)
    }
  }
}

function settle({ call, resolve, reject }: PendingCall, answer: RpcResponse): void {
  try {
    resolve(resultOf(call, answer))
  } catch (error) {
    reject(error)
  }
}

/** A node may reject a query for logs because of its range, which is not a failure of the node. */
function resultOf({ method }: RpcCall, answer: RpcResponse): unknown {
  if (method === 'eth_getLogs' && 'error' in answer)
    throw new EndpointError(rpcErrorKind(answer.error.code), { perhapsRequest: true })
  return requireResult(answer)
}
