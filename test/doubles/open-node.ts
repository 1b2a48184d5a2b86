import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Node with CORS enabled, like public nodes. */
export async function openToPages(nodeUrl: string): Promise<{ url: string; close: () => void }> {
  const passOn = async (request: AsyncIterable<Buffer>, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(nodeUrl, { method: 'POST', headers, body: Buffer.concat(chunks) })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  }
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type')
    if (request.method === 'OPTIONS') response.end()
    else passOn(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  return { url, close: () => void server.close() }
}
