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
