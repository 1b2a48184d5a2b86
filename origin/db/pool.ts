import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg'

/**
 * A connection may hang without a word, as where a machine or a firewall on the way is gone. It is given up then: the
 * few that there are must not all wait for ever. What has to take longer is read over other connections.
 */
const PATIENCE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** For a connection: a new one, or one that others have. */
  connectionTimeoutMillis: 10_000,
  /** By our clock for an answer, and by the server's for its work. */
  query_timeout: 15_000,
  statement_timeout: 15_000,
  /** Whoever needs an account's lock has said by then that nobody knows. */
  lock_timeout: 5_000,
  /** A process that was stopped in a transaction holds locks that all others wait for. */
  idle_in_transaction_session_timeout: 10_000,
}

/** For work that takes as long as it takes: migrations, and reading all that ever happened. */
export const PATIENT = { query_timeout: 0, statement_timeout: 0, lock_timeout: 0 }

/** Connections to a server, which may break at any moment: then what was asked over them fails, and nothing else. */
export function connectionPool(config: PoolConfig): Pool {
  const pool = new ConnectionPool({ ...PATIENCE, ...config })
  // Unheard, the error of a connection that breaks would end the process: of one that is idle, and of one in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    closeIfSilent(client)
  })
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
 * Drizzle gives a connection back after a transaction whose statement was not answered in time: with that transaction
 * still open, whoever has it next would commit what it did. A closed one is not given to anybody.
 */
function closeIfSilent(client: PoolClient): void {
  const query = client.query.bind(client)
  const watched = (...args: unknown[]) => {
    const answer: unknown = Reflect.apply(query, undefined, args)
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        // The library has no code for it.
        if (error instanceof Error && error.message === 'Query read timeout') close(client)
      })
    return answer
  }
  client.query = watched as typeof query
}

/** At once, since it waits for an answer: what it holds at the server is free when that notices. */
function close(client: PoolClient): void {
  ;(client as unknown as Client).end().catch(() => {})
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
