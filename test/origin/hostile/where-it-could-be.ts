import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Larger files are nobody's log: archives, databases that others made. */
const FILE_MAX_BYTES = 64 * 1024 * 1024

/** The regular files under a folder that were written since, as far as this user can read them. */
export function* filesWrittenSince(folder: string, since: number, depth = 6): Generator<string> {
  for (const entry of quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) yield* filesWrittenSince(path, since, depth - 1)
    const found = entry.isFile() ? quietly(() => statSync(path)) : undefined
    if (found && found.mtimeMs >= since && found.size <= FILE_MAX_BYTES) yield path
  }
}

export type ProcessFacts = { pid: number; commandLine: string; environment: string }

/** This process' children, and theirs: what others of the same user, and with `ps` anybody, can read of them. */
export function descendants(pid = process.pid): ProcessFacts[] {
  const children = processes().filter((child) => parentOf(child) === pid)
  return children.flatMap((child) => [
    {
      pid: child,
      commandLine: read(`/proc/${child}/cmdline`) ?? '',
      environment: read(`/proc/${child}/environ`) ?? '',
    },
    ...descendants(child),
  ])
}

const processes = () => readdirSync('/proc').map(Number).filter(Number.isInteger)

/** The second field after the name, which may hold spaces and brackets itself. */
function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function read(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'latin1'))
}

/** Processes end and files go while one looks. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
