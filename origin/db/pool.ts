import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg'

/**
 * Timeouts of pooled connections. A connection may hang silently, for example because a machine or firewall on the path
 * has failed. The pool has few connections, and hanging queries must not block all of them. Longer reads use other
 * connections.
 */
const TIMEOUTS = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
  /** Query timeouts, measured by this process and by the server, respectively. */
  query_timeout: 15_000,
  statement_timeout: 15_000,
  /**
   * Timeout for waiting on a lock. By then, callers that need an account's lock have already reported that credit is
   * unavailable.
   */
  lock_timeout: 5_000,
  /**
   * Timeout for idle transactions. A process suspended within a transaction would otherwise hold locks that block all
   * other processes.
   */
  idle_in_transaction_session_timeout: 10_000,
}

/** Disables the timeouts for operations of unlimited duration: migrations, and reads of the complete history. */
export const NO_TIMEOUTS = { query_timeout: 0, statement_timeout: 0, lock_timeout: 0 }

/** Creates a connection pool in which a broken connection fails only the queries that use it. */
export function connectionPool(config: PoolConfig): Pool {
  const pool = new ConnectionPool({ ...TIMEOUTS, ...config })
  // Without these listeners, a broken connection would terminate the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    closeAfterTimeout(client)
  })
  return pool
}

type ConnectCallback = Parameters<Pool['connect']>[0]

class ConnectionPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(connected: ConnectCallback): void
  override connect(connected?: ConnectCallback): Promise<PoolClient> | void {
    if (connected) return super.connect(connected)
    return super.connect().then(releaseIfBeginFails)
  }
}

/**
 * Closes a connection if one of its queries times out. Otherwise, Drizzle would return the connection to the pool with
 * its transaction still open, and the next user of the connection would commit that transaction. The pool does not
 * reuse a closed connection.
 */
function closeAfterTimeout(client: PoolClient): void {
  const query = client.query.bind(client)
  const watchedQuery = (...args: unknown[]) => {
    const answer: unknown = Reflect.apply(query, undefined, args)
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        // Compares the message, because the library provides no error code for a timeout.
        if (error instanceof Error && error.message === 'Query read timeout') close(client)
      })
    return answer
  }
  client.query = watchedQuery as typeof query
}

/** The server releases the session's locks when it notices that the connection is closed. */
function close(client: PoolClient): void {
  ;(client as unknown as Client).end().catch(() => {})
}

/**
 * Releases a connection if its `begin` statement fails. Drizzle sends `begin` before the `try` block that releases the
 * connection. A failed `begin` would leave the connection checked out permanently, and after a few of them every query
 * would wait indefinitely.
 */
function releaseIfBeginFails(client: PoolClient): PoolClient {
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
