import type { RpcError } from './json-rpc.ts'

/**
 * Classifies whether an error rejects a batch. `certain`: the error is about the batch. `perhaps`: a server without
 * batch support may return this error. `no`: the error has another cause.
 */
export function batchRejection(
  { code, message }: RpcError,
  status: number,
): 'certain' | 'perhaps' | 'no' {
  if (/batch/i.test(message) || code === 413 || status === 413) return 'certain'
  // JSON-RPC 2.0, section 5.1: invalid request, parse error, method not found, and invalid params.
  if (code === -32600 || code === -32700 || code === -32601 || code === -32602) return 'perhaps'
  return [400, 404, 405, 415, 422, 501].includes(status) ? 'perhaps' : 'no'
}

/**
 * Returns true if a batch is too long. After a number of bytes, geth returns -32003 for each remaining call. In a batch
 * that requests logs, this error means too many logs; otherwise it means that the batch is too long.
 */
export function isBatchTooLong({ code, message }: RpcError, requestsLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !requestsLogs && (code === -32003 || /response too large/i.test(message))
}
