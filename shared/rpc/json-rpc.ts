import { EndpointError } from './endpoint-error.ts'

export type RpcCall = { method: string; params: readonly unknown[] }
/** JSON-RPC error. `message` and `data` come from the provider, so they are inspected but never logged or returned. */
export type RpcError = { code: number; message: string; data?: unknown }
export type RpcResponse = { result: unknown } | { error: RpcError }

/** Result of a request: one response per call, in the order of the calls, or one error for the whole request. */
type RpcResponses = { answers: RpcResponse[] } | { refused: RpcError }

/** @param firstId ID of the first call; IDs are never reused, so that a response to another request is detected */
export function rpcBody(calls: readonly RpcCall[], firstId: number): string {
  const messages = calls.map(({ method, params }, n) => ({
    jsonrpc: '2.0',
    id: firstId + n,
    method,
    params,
  }))
  return JSON.stringify(messages.length === 1 ? messages[0] : messages)
}

/**
 * Matches responses in any order to calls by ID.
 * @throws {EndpointError} `not_json_rpc` if a response is missing, duplicated or unexpected
 */
export function matchResponses(body: unknown, count: number, firstId: number): RpcResponses {
  if (!Array.isArray(body)) {
    const message = messageOf(body)
    if ('error' in message.answer && (count > 1 || message.id === null || message.id === undefined))
      return { refused: message.answer.error }
    if (count > 1) throw notJsonRpc('one response to several requests')
  }
  const messages = [body].flat().map(messageOf)
  // If a batch is too long, geth returns a single error, for the first call.
  const [only] = messages
  if (count > 1 && messages.length === 1 && only && 'error' in only.answer)
    return { refused: only.answer.error }

  const answers: RpcResponse[] = []
  for (const { id, answer } of messages) {
    const place = typeof id === 'number' ? id - firstId : -1
    if (!Number.isInteger(place) || place < 0 || place >= count)
      throw notJsonRpc('an unexpected ID')
    if (answers[place]) throw notJsonRpc('a duplicate ID')
    answers[place] = answer
  }
  for (let place = 0; place < count; place++)
    if (!answers[place]) throw notJsonRpc('a request without a response')
  return { answers }
}

function messageOf(value: unknown): { id: unknown; answer: RpcResponse } {
  if (typeof value !== 'object' || value === null) throw notJsonRpc('not an object')
  const { id, error, result } = value as { id?: unknown; error?: unknown; result?: unknown }
  if (error !== undefined && error !== null) return { id, answer: { error: errorOf(error) } }
  if (result === undefined) throw notJsonRpc('neither result nor error')
  return { id, answer: { result } }
}

/**
 * Maximum length of an error text. Most texts are short, and matching megabytes against patterns could block everything
 * else for hours.
 */
const ERROR_TEXT_MAX_CHARACTERS = 1_000

/** Some providers return plain text, or an object without a code. */
function errorOf(value: unknown): RpcError {
  if (typeof value !== 'object' || value === null) return { code: 0, message: shortOf(value) }
  const { code, message, data } = value as { code?: unknown; message?: unknown; data?: unknown }
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? shortOf(message) : '',
    data: typeof data === 'string' ? shortOf(data) : data,
  }
}

const shortOf = (text: unknown) => String(text).slice(0, ERROR_TEXT_MAX_CHARACTERS)

function notJsonRpc(detail: string): EndpointError {
  return new EndpointError('not_json_rpc', { detail })
}

/** Error codes that always mean a rate limit, from EIP-1474, HTTP, Alchemy, QuickNode, Base, Ankr and Cloudflare. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([
  -32005, -32007, -32016, -32029, -32090, -32097, 429,
])

const RATE_LIMIT_TEXTS =
  /rate.?limit|too many requests|compute units|request limit|requests? per|per second|throughput|limit exceeded|quota|credits|throttl|over limit|request count exceeded|capacity|slow down|try again later|daily limit|monthly/i

/** Code of a call that the contract reverted (geth and others). The message may quote the contract's reason. */
export const REVERTED_CODE = 3

/** Callers must first exclude errors about a range or addresses, because some of those have the same code. */
export function isRateLimit({ code, message }: RpcError): boolean {
  if (code === REVERTED_CODE) return false
  return RATE_LIMIT_CODES.has(code) || RATE_LIMIT_TEXTS.test(message)
}

/**
 * Maximum delay taken from `Retry-After`. If an endpoint requests a longer delay, such as a day, it is tried again
 * after this delay.
 */
const RETRY_AFTER_MAX_MS = 300_000

/** Parses a `Retry-After` header, which contains a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

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
 * Returns true if a batch is too long. After a number of bytes, geth returns this error for each remaining call. In a
 * batch that requests logs, it means too many logs; otherwise it means that the batch is too long. Its code, -32003, is
 * not sufficient, because nodes also return it for rejected transactions (EIP-1474).
 */
export function isBatchTooLong({ message }: RpcError, requestsLogs: boolean): boolean {
  if (/batch (?:is )?(?:too|size|limit)|in (?:the )?batch|batch requests/i.test(message))
    return true
  return !requestsLogs && /response too large/i.test(message)
}
