/** Detects providers' errors about the length of batches. */
import type { RpcError } from './json-rpc.ts'

/**
 * Classifies an error for a whole batch: `certain` if it mentions batches, `perhaps` if a server without batch support
 * may respond like this, `no` otherwise.
 */
export function refusesBatch(
  { code, message }: RpcError,
  status: number,
): 'certain' | 'perhaps' | 'no' {
  if (/batch/i.test(message) || code === 413 || status === 413) return 'certain'
  // Invalid request, parse error, method not found, invalid params (JSON-RPC 2.0, 5.1).
  if (code === -32600 || code === -32700 || code === -32601 || code === -32602) return 'perhaps'
  return [400, 404, 405, 415, 422, 501].includes(status) ? 'perhaps' : 'no'
}

/**
 * Returns true if an error for one call or for the whole batch means that the batch is too long. geth stops after a
 * number of bytes and returns -32003 for each remaining call. If the batch requests logs, there are too many of them;
 * otherwise the batch is too long.
 */
export function isBatchTooLong({ code, message }: RpcError, asksLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !asksLogs && (code === -32003 || /response too large/i.test(message))
}

/** Batch sizes that providers were seen to accept, largest first. 1 means no batching. */
const SIZES = [50, 10, 3, 1]

/** Larger batches are tried again after this time: the plan may have changed, or the rejection was temporary. */
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
   * Records that a batch of this length was rejected.
   * @returns the size to try next
   */
  refused(length: number, now: number): number {
    this.#refusedAt = now
    while (this.#place < SIZES.length - 1 && SIZES[this.#place]! >= length) this.#place++
    return SIZES[this.#place]!
  }
}
