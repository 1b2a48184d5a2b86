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
