/**
 * The baseline: a plain service that queues each event as a job in Postgres, and stores the outcome of each job. It does
 * not isolate, authorize, charge or sign.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { run } from 'graphile-worker'

const CONCURRENCY = 8

const runner = await run({
  connectionString: process.env['DATABASE_URL']!,
  concurrency: CONCURRENCY,
  noHandleSignals: true,
  taskList: {
    act: async (payload, helpers) => {
      await helpers.query('insert into outcomes (response) values ($1)', [payload])
    },
  },
})

async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const event: unknown = JSON.parse(Buffer.concat(chunks).toString())
  const { id } = await runner.addJob('act', { event })
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id }))
}

const server = createServer((request, response) => void accept(request, response))
server.listen(0, '127.0.0.1', () => {
  process.send!({ ready: { port: (server.address() as AddressInfo).port } })
})

process.once('SIGTERM', () => {
  server.closeAllConnections()
  void runner.stop().then(() => process.exit(0))
})
process.once('disconnect', () => process.exit(0))
