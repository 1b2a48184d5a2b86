import { freshDatabase } from '../../db/fresh-database.ts'
import { SyncConnection } from './sync-connection.ts'

/** Connects to a new database with the tables of production and no rows, and drops it afterwards. */
export async function withFreshDatabase<Result>(
  use: (connection: SyncConnection) => Promise<Result>,
): Promise<Result> {
  const { url, drop } = await freshDatabase()
  try {
    const connection = await SyncConnection.open(url)
    try {
      return await use(connection)
    } finally {
      await connection.close()
    }
  } finally {
    await drop()
  }
}
