import type { FetchRequest } from 'ethers'

class RpcBatchError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RpcBatchError'
  }
}

type PendingCall = {
  method: string
  params: readonly unknown[]
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/** Maximum calls per batch, which every tested provider accepts. */
const CALLS_MAX = 100

/**
 * Batches JSON-RPC calls. Calls made in the same tick form one request to the same node, so that their results are
 * consistent even behind a load balancer. Requests are never retried, not even after a 429.
 */
export class RpcBatch {
  readonly #connection: FetchRequest
  #pending: PendingCall[] = []

  constructor(connection: FetchRequest) {
    this.#connection = connection
  }

  /** @throws {RpcBatchError} */
  send(method: string, params: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) queueMicrotask(() => this.#flush())
      this.#pending.push({ method, params, resolve, reject })
    })
  }

  #flush(): void {
    const waiting = this.#pending
    this.#pending = []
    for (let from = 0; from < waiting.length; from += CALLS_MAX)
      void this.#post(waiting.slice(from, from + CALLS_MAX))
  }

  async #post(calls: readonly PendingCall[]): Promise<void> {
    try {
      const request = this.#connection.clone()
      request.retryFunc = async () => false
      request.body = JSON.stringify(
        calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })),
      )
      request.setHeader('content-type', 'application/json')
      const response = await request.send()
      response.assertOk()
      const answers: unknown = response.bodyJson
      if (!Array.isArray(answers))
        throw new RpcBatchError('the response to a batch is not an array')
      const byId = new Map(answers.map((answer) => [answer?.id, answer]))
      for (const [id, call] of calls.entries()) settle(call, byId.get(id))
    } catch (error) {
      const failed =
        error instanceof RpcBatchError
          ? error
          : new RpcBatchError('the node did not respond', { cause: error })
      for (const call of calls) call.reject(failed)
    }
  }
}

function settle({ method, resolve, reject }: PendingCall, answer: any): void {
  if (answer?.error !== undefined && answer.error !== null)
    reject(new RpcBatchError(`${method}: ${String(answer.error.message ?? 'error').slice(0, 200)}`))
  else if (answer?.result === undefined) reject(new RpcBatchError(`${method}: no response`))
  else resolve(answer.result)
}
