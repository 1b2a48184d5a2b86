import { Client } from 'pg'
import { connectionOptions, type DatabaseConnection } from './connection.ts'

const RECONNECT_MS = 1_000

/**
 * Listens for PostgreSQL notifications over a dedicated connection. Notifications are lost while the connection is
 * down, so callers must not depend on receiving all of them.
 * @param channel valid unquoted SQL identifier
 */
export function listenFor(
  connection: DatabaseConnection,
  channel: string,
  onNotification: () => void,
): { close(): Promise<void> } {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const connect = () => {
    const next = new Client({ ...connectionOptions(connection), keepAlive: true })
    client = next
    let isLost = false
    const lost = () => {
      if (isLost || isClosed) return
      isLost = true
      next.end().catch(() => {})
      timer = setTimeout(connect, RECONNECT_MS)
    }
    next.on('error', lost).on('end', lost).on('notification', onNotification)
    next
      .connect()
      .then(() => next.query(`listen ${channel}`))
      // Calls the listener once, because notifications may have been sent before the connection was established.
      .then(onNotification)
      .catch(lost)
  }
  connect()

  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
