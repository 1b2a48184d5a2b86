import type { TestProject } from 'vitest/node'
import { loadTls } from '../../origin/tls.ts'
import type { Provided } from '../edge/provided.d.ts'
import { readEdgeTestEnvironment } from './edge-environment.ts'
import { startWebServer } from './web-server.ts'

type Stored = { status: number; headers: Record<string, string>; body: string }

/**
 * A web server for the metadata documents of OAuth clients, with a certificate that workerd trusts. PUT stores a
 * response, and GET returns it. The path `/requests` lists the paths of GET requests.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { key, cert } = await loadTls(readEdgeTestEnvironment().stateDir)
  const stored = new Map<string, Stored>()
  const requested: string[] = []
  const server = await startWebServer(
    ({ method, url, body }, response) => {
      if (method === 'PUT') stored.set(url, JSON.parse(body) as Stored)
      if (method === 'PUT' || url === '/requests') return response.end(JSON.stringify(requested))
      requested.push(url)
      const { status, headers, body: text } = stored.get(url) ?? NOT_FOUND
      response.writeHead(status, headers).end(text)
    },
    { certificate: { key, cert } },
  )
  const { clientDocuments }: Pick<Provided, 'clientDocuments'> = {
    clientDocuments: `https://localhost:${server.port}`,
  }
  project.provide('clientDocuments', clientDocuments)
  return server.close
}

const NOT_FOUND: Stored = { status: 404, headers: {}, body: '' }
