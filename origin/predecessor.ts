/** Which process used this state folder before: one that is certainly dead, since its lock is free. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type FolderLock = {
  /**
   * The id under which the last process of this folder took claims and leases; they need not run out before they are
   * ended. Absent at the first start, and while another process has the folder.
   */
  predecessor: string | undefined
  release: () => void
}

/**
 * Notes this process as the folder's. The lock is a file lock that the system lets go of however its holder ends.
 * @param processId what the process after this one will be told
 */
export function takeFolder(stateDir: string, processId: string): FolderLock {
  const folder = join(stateDir, 'origin')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, 'process.db'))
  try {
    // With exclusive locking the lock that the first write takes is kept after its transaction.
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

/** SQLITE_BUSY: another process has it. */
function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5
}
