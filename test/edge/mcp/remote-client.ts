import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { edge } from '../app.ts'

type TransportOptions = NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>

export const MCP_URL = new URL('https://edge.test/mcp')

/** The fetch of an MCP client on a machine of its own: it sends no Origin and no cookies. */
export const clientFetch = (input: string | URL, init?: RequestInit): Promise<Response> =>
  edge(String(input), init)

/** Creates a transport of the official client to the remote MCP server. */
export const transportTo = (options: TransportOptions = {}) =>
  new StreamableHTTPClientTransport(MCP_URL, { fetch: clientFetch, ...options })

export async function connect(token: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    transportTo({ requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  return client
}

/** Sends one JSON-RPC message without the official client. */
export const postMessage = (headers: Record<string, string>, message: object = LIST_TOOLS) =>
  edge('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  })

export const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
