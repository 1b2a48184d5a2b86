import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'svc-executor'
const NAME = new RegExp(`^${PREFIX}-(\\d{1,20})-(\\d{1,9})-[A-Za-z0-9]{6}$`)

/**
 * Creates a folder that only this user can read. The folder's name contains this process's PID namespace and PID.
 * @param parent the system's folder for temporary files, to which other users can also write
 */
export function makeProcessFolder(parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${PREFIX}-${pidNamespace()}-${process.pid}-`))
}

/**
 * Removes folders left behind by killed processes. Keeps the folders of running processes, of other users, and of other
 * PID namespaces, because processes of other namespaces are not visible from here. Never follows a symbolic link.
 */
export function removeAbandonedFolders(parent = tmpdir()): void {
  const namespace = pidNamespace()
  for (const name of readdirSync(parent)) {
    const [, ofNamespace, pid] = NAME.exec(name) ?? []
    if (ofNamespace !== namespace || pid === undefined) continue
    try {
      const folder = join(parent, name)
      const found = lstatSync(folder)
      const isOurs = found.isDirectory() && found.uid === process.getuid?.()
      if (isOurs && !isRunning(Number(pid))) rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another process removed the folder first, or the system does not permit it. A leftover folder does no harm.
    }
  }
}

/**
 * True if a process with this PID is running, even an unrelated one. Keeping a folder is safer than deleting one in
 * use.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * Returns the ID of this process's PID namespace, or 0 if the system is not Linux. Containers can share a folder
 * without seeing each other's processes, so a PID identifies a process only within its namespace.
 */
function pidNamespace(): string {
  if (process.platform !== 'linux') return '0'
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
}
