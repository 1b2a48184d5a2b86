/** Detects errors of endpoints that do not accept batches, or only shorter ones. */
import type { RpcError } from './json-rpc.ts'

/**
 * Classifies an error for a whole batch. `certain` means that the error is about the batch, `perhaps` that a server
 * without batch support may respond with this error, and `no` that the error has another cause.
 */
export function refusesBatch(
  { code, message }: RpcError,
  status: number,
): 'certain' | 'perhaps' | 'no' {
  if (/batch/i.test(message) || code === 413 || status === 413) return 'certain'
  // JSON-RPC codes for invalid request, parse error, method not found and invalid params (JSON-RPC 2.0, 5.1).
  if (code === -32600 || code === -32700 || code === -32601 || code === -32602) return 'perhaps'
  return [400, 404, 405, 415, 422, 501].includes(status) ? 'perhaps' : 'no'
}

/**
 * Returns true if an error, for one call or for the whole batch, means that the batch is too long. geth stops after a
 * number of bytes and returns -32003 for each remaining call. If the batch requests logs, this error means that there
 * are too many logs. Otherwise it means that the batch is too long.
 */
export function isBatchTooLong({ code, message }: RpcError, asksLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !asksLogs && (code === -32003 || /response too large/i.test(message))
}

/** Batch sizes that providers were seen to accept, largest first. A size of 1 means that calls are not batched. */
const SIZES = [50, 10, 3, 1]

/**
 * Time after which larger batches are tried again. The provider's plan may have changed, or the rejection may have been
 * temporary.
 */
const FORGET_AFTER_MS = 600_000

/** Tracks how many calls an endpoint accepts in one request. */
export class BatchSize {
  #place = 0
  #refusedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#refusedAt >= FORGET_AFTER_MS) this.#place = 0
    return SIZES[this.#place]!
  }

  /**
   * Records that a batch was rejected.
   * @param length number of calls in the batch
   * @returns the batch size to try next
   */
  refused(length: number, now: number): number {
    this.#refusedAt = now
    while (this.#place < SIZES.length - 1 && SIZES[this.#place]! >= length) this.#place++
    return SIZES[this.#place]!
  }
}
