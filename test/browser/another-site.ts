/** A site of somebody else, on this machine: `http://127.0.0.1:…` for a stack at `http://localhost:…`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type AnotherSite = {
  /** Another site: its requests carry no cookie that is `SameSite=Lax`. */
  crossSite: string
  /** Another origin of the same site, as sites ignore ports: its requests carry such cookies. */
  sameSite: string
  /** Paths that somebody asked for. */
  visits: string[]
  close: () => void
}

/** @param documents HTML at its paths; a path that is not there is an empty page */
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
