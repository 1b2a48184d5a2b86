import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg'

/**
 * Timeouts for connections that hang silently, for example because a machine or a firewall on the path failed. There
 * are few connections, and they must not all wait indefinitely. Longer reads use other connections.
 */
const PATIENCE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** Limits the wait for a connection, whether new or from the pool. */
  connectionTimeoutMillis: 10_000,
  /** Limits the wait for a response (measured here) and the execution (measured by the server). */
  query_timeout: 15_000,
  statement_timeout: 15_000,
  /** After this time, callers that need an account's lock have already reported the credit as unavailable. */
  lock_timeout: 5_000,
  /** A process that was suspended within a transaction holds locks that block all others. */
  idle_in_transaction_session_timeout: 10_000,
}

/** Disables the timeouts for work of unlimited duration: migrations, and reads of the complete history. */
export const PATIENT = { query_timeout: 0, statement_timeout: 0, lock_timeout: 0 }

/** Creates a pool of connections that may break at any moment. A broken connection fails only the queries on it. */
export function connectionPool(config: PoolConfig): Pool {
  const pool = new ConnectionPool({ ...PATIENCE, ...config })
  // Without a listener, the error of a broken connection, idle or in use, would terminate the process.
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
 * Closes a connection when a query on it times out. After a transaction times out, Drizzle returns the connection to
 * the pool with that transaction still open, and its next user would commit it. The pool does not reuse a closed
 * connection.
 */
function closeIfSilent(client: PoolClient): void {
  const query = client.query.bind(client)
  const watched = (...args: unknown[]) => {
    const answer: unknown = Reflect.apply(query, undefined, args)
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        // The library provides no error code for it.
        if (error instanceof Error && error.message === 'Query read timeout') close(client)
      })
    return answer
  }
  client.query = watched as typeof query
}

/**
 * Sends the close at once, because the connection waits for a response. Its locks are freed when the server notices.
 */
function close(client: PoolClient): void {
  ;(client as unknown as Client).end().catch(() => {})
}

/**
 * Releases the connection if `begin` fails. Drizzle sends `begin` before the `try` block that releases the connection,
 * so a failure there would leave it checked out permanently, and after a few of them every query would wait
 * indefinitely.
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
