import { tryParseJson } from '../../json/try-parse-json.ts'
import { readBoundedBody } from '../../network/bounded-body.ts'

const CALL_MS = 15_000

/** Thrown if a chain node returns no usable response. */
export class NodeError extends Error {
  override name = 'NodeError'
}

export type Node = {
  url: string
  fetch: typeof globalThis.fetch
  maxBytes: number
}

/** Calls a JSON-RPC method. @throws {NodeError} */
export async function callNode(
  node: Node,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const { result, error } = parseResponse(await post(node, method, params))
  if (result !== undefined && result !== null) return result
  const { message } = (error ?? {}) as { message?: unknown }
  const reason = typeof message === 'string' ? message.slice(0, 200) : 'no result'
  throw new NodeError(`the node rejected ${method}: ${reason}`)
}

async function post(
  { url, fetch, maxBytes }: Node,
  method: string,
  params: readonly unknown[],
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_MS),
    })
    const body = await readBoundedBody(response, maxBytes)
    if (!body) throw new Error('the response is too long')
    return new TextDecoder().decode(body)
  } catch (error) {
    const { cause, message } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    throw new NodeError(`the node does not respond: ${reason}`, { cause: error })
  }
}

function parseResponse(text: string): { result?: unknown; error?: unknown } {
  const value = tryParseJson(text)
  if (typeof value === 'object' && value !== null) return value
  throw new NodeError('the node’s response is not JSON-RPC')
}
