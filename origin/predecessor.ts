/**
 * Identifies the previous process that used this state folder. That process has exited, because its lock on the folder
 * is free.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type FolderLock = {
  /**
   * ID of the previous process. The claims and leases of that process can be ended early. Undefined at the first start,
   * and while another process holds the lock on the folder.
   */
  predecessor: string | undefined
  release: () => void
}

/**
 * Locks the state folder. The operating system releases the file lock when the process exits, even after a crash.
 * @param processId the ID that the next process gets as its predecessor
 */
export function takeFolder(stateDir: string, processId: string): FolderLock {
  const folder = join(stateDir, 'origin')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, 'process.db'))
  try {
    // In exclusive locking mode, SQLite retains the lock after the transaction.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    database.exec('CREATE TABLE IF NOT EXISTS holder (id TEXT NOT NULL)')
    const row = database.prepare('SELECT id FROM holder').get() as { id: string } | undefined
    database.exec('DELETE FROM holder')
    database.prepare('INSERT INTO holder VALUES (?)').run(processId)
    database.exec('COMMIT')
    return { predecessor: row?.id, release: () => database.close() }
  } catch (error) {
    database.close()
    if (!isLocked(error)) throw error
    return { predecessor: undefined, release: () => {} }
  }
}

// SQLITE_BUSY: another process holds the lock.
function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5
}
