import type { RpcError } from './json-rpc.ts'

/**
 * `certain`: the error is about the batch. `perhaps`: a server without batch support may respond with it. `no`: the
 * error has another cause.
 */
export function batchRejection(
  { code, message }: RpcError,
  status: number,
): 'certain' | 'perhaps' | 'no' {
  if (/batch/i.test(message) || code === 413 || status === 413) return 'certain'
  // Invalid request, parse error, method not found and invalid params (JSON-RPC 2.0, 5.1).
  if (code === -32600 || code === -32700 || code === -32601 || code === -32602) return 'perhaps'
  return [400, 404, 405, 415, 422, 501].includes(status) ? 'perhaps' : 'no'
}

/**
 * geth stops after a number of bytes and returns -32003 for each remaining call. If the batch requests logs, this error
 * means too many logs, otherwise a batch that is too long.
 */
export function isBatchTooLong({ code, message }: RpcError, requestsLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !requestsLogs && (code === -32003 || /response too large/i.test(message))
}

/** Batch sizes that providers were seen to accept. 1 means that calls are not batched. */
const SIZES = [50, 10, 3, 1]

/** The provider's plan may have changed, or the rejection may have been temporary. */
const FORGET_AFTER_MS = 600_000

/** Learns how many calls an endpoint accepts in one request. */
export class BatchSize {
  #index = 0
  #rejectedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#rejectedAt >= FORGET_AFTER_MS) this.#index = 0
    return SIZES[this.#index]!
  }

  /**
   * @param length number of calls in the rejected batch
   * @returns the batch size to try next
   */
  recordRejection(length: number, now: number): number {
    this.#rejectedAt = now
    while (this.#index < SIZES.length - 1 && SIZES[this.#index]! >= length) this.#index++
    return SIZES[this.#index]!
  }
}
