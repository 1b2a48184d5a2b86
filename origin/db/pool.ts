import { Pool, type PoolClient, type PoolConfig } from 'pg'

/** Connections to a server, which may break at any moment: then what was asked over them fails, and nothing else. */
export function connectionPool(config: PoolConfig): Pool {
  const pool = new ConnectionPool(config)
  // Unheard, the error of a connection that breaks would end the process: of one that is idle, and of one in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

type Connected = Parameters<Pool['connect']>[0]

class ConnectionPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<PoolClient> | void {
    if (connected) return super.connect(connected)
    return super.connect().then(givenBackIfBeginFails)
  }
}

/**
 * Drizzle says `begin` before the `try` that gives the connection back: one that broke there would count as in use
 * for ever, and after a few of them every query waits for ever.
 */
function givenBackIfBeginFails(client: PoolClient): PoolClient {
  const query = client.query.bind(client)
  const first = (...args: unknown[]) => {
    client.query = query
    const answer: unknown = Reflect.apply(query, undefined, args)
    const [statement] = args as [{ text?: string }]
    if (answer instanceof Promise && statement.text?.startsWith('begin'))
      answer.catch((error: Error) => client.release(error))
    return answer
  }
  client.query = first as typeof query
  return client
}
