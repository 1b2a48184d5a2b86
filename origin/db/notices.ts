import { Client } from 'pg'

/** After a lost connection another one is tried this often. */
const RECONNECT_MS = 1_000

/**
 * Calls back when a channel of the database is notified, over a connection of its own. Notices that are sent while
 * the connection is away are lost: a listener must not need them.
 * @param channel a plain identifier
 */
export function listenFor(
  url: string,
  channel: string,
  onNotice: () => void,
): { close(): Promise<void> } {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const connect = () => {
    const next = new Client({ connectionString: url, keepAlive: true })
    client = next
    let isLost = false
    const lost = () => {
      if (isLost || isClosed) return
      isLost = true
      next.end().catch(() => {})
      timer = setTimeout(connect, RECONNECT_MS)
    }
    next.on('error', lost).on('end', lost).on('notification', onNotice)
    next
      .connect()
      .then(() => next.query(`listen ${channel}`))
      // What was sent before the connection was there.
      .then(onNotice)
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
