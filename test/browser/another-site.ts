/** A foreign website on this machine: `http://127.0.0.1:…`, while the stack is at `http://localhost:…`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type AnotherSite = {
  /** Cross-site origin: its requests carry no `SameSite=Lax` cookies. */
  crossSite: string
  /** Same-site origin, because sites ignore ports: its requests carry `SameSite=Lax` cookies. */
  sameSite: string
  /** Requested paths. */
  visits: string[]
  close: () => void
}

/** @param documents HTML by path; other paths serve an empty page */
export async function anotherSite(documents: Record<string, string>): Promise<AnotherSite> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(request.url ?? '')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(documents[request.url ?? ''] ?? '<!doctype html><title>elsewhere</title>')
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const { port } = server.address() as AddressInfo
  return {
    crossSite: `http://127.0.0.1:${port}`,
    sameSite: `http://localhost:${port}`,
    visits,
    close: () => void server.close(),
  }
}
