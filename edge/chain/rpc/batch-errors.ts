/** How providers say that they take no batch, or a shorter one. */
import type { RpcError } from './json-rpc.ts'

/**
 * What an error for a whole batch means: `certain`, it speaks of batches; `perhaps`, it is what a server says that does
 * not know any; `no`, it says something else.
 */
export function refusesBatch(
  { code, message }: RpcError,
  status: number,
): 'certain' | 'perhaps' | 'no' {
  if (/batch/i.test(message) || code === 413 || status === 413) return 'certain'
  // Invalid request, parse error, no such method, invalid params (JSON-RPC 2.0, 5.1).
  if (code === -32600 || code === -32700 || code === -32601 || code === -32602) return 'perhaps'
  return [400, 404, 405, 415, 422, 501].includes(status) ? 'perhaps' : 'no'
}

/**
 * Of an answer in a batch, or for all of it. geth stops after a number of bytes, and says so of each question that is
 * left (-32003): where logs are asked for, those are too many; else it is the batch.
 */
export function isBatchTooLong({ code, message }: RpcError, asksLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !asksLogs && (code === -32003 || /response too large/i.test(message))
}

/** What providers were seen to take, the largest first: 1 is one by one. */
const SIZES = [50, 10, 3, 1]

/** A plan may have been changed, or the refusal have been of a bad moment. */
const FORGET_AFTER_MS = 600_000

/** How many questions an endpoint takes in one request. */
export class BatchSize {
  #place = 0
  #refusedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#refusedAt >= FORGET_AFTER_MS) this.#place = 0
    return SIZES[this.#place]!
  }

  /** A batch of this length was refused. @returns the size to try */
  refused(length: number, now: number): number {
    this.#refusedAt = now
    while (this.#place < SIZES.length - 1 && SIZES[this.#place]! >= length) this.#place++
    return SIZES[this.#place]!
  }
}
