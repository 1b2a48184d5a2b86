import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg'

/**
 * Timeouts for connections that hang silently, for example because a machine or firewall on the network path has
 * failed. There are few connections, and queries must not block all of them indefinitely. Longer reads use other
 * connections.
 */
const PATIENCE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** Timeout for obtaining a connection, either a new one or one from the pool. */
  connectionTimeoutMillis: 10_000,
  /** Timeouts of a query: the first is measured by this process, the second by the server. */
  query_timeout: 15_000,
  statement_timeout: 15_000,
  /**
   * Maximum wait for a lock. By then, callers that need an account's lock have already reported that the credit is
   * unavailable.
   */
  lock_timeout: 5_000,
  /**
   * Ends idle transactions. A process that was suspended within a transaction would otherwise hold locks that block all
   * other processes.
   */
  idle_in_transaction_session_timeout: 10_000,
}

/** Disables the timeouts for operations of unlimited duration: migrations, and reads of the complete history. */
export const PATIENT = { query_timeout: 0, statement_timeout: 0, lock_timeout: 0 }

/**
 * Creates a connection pool that tolerates broken connections. A broken connection fails only the queries that use it.
 */
export function connectionPool(config: PoolConfig): Pool {
  const pool = new ConnectionPool({ ...PATIENCE, ...config })
  // Without these listeners, the error of a broken connection would terminate the process, whether the connection is
  // idle or in use.
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
 * Makes a connection close if one of its queries times out. Drizzle returns such a connection to the pool with its
 * transaction still open, and the next user of the connection would commit that transaction. The pool does not reuse a
 * closed connection.
 */
function closeIfSilent(client: PoolClient): void {
  const query = client.query.bind(client)
  const watched = (...args: unknown[]) => {
    const answer: unknown = Reflect.apply(query, undefined, args)
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        // A timeout is recognized by the message, because the library provides no error code for it.
        if (error instanceof Error && error.message === 'Query read timeout') close(client)
      })
    return answer
  }
  client.query = watched as typeof query
}

/**
 * Closes a connection immediately, although a query is still in flight. The locks of its session are released when the
 * server notices.
 */
function close(client: PoolClient): void {
  ;(client as unknown as Client).end().catch(() => {})
}

/**
 * Releases a connection to the pool if `begin` fails. Drizzle sends `begin` before the `try` block that releases the
 * connection. A failure of `begin` would therefore leave the connection checked out permanently, and after a few such
 * failures every query would wait indefinitely.
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
