import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Skips larger files: they are archives or databases, not logs. */
const FILE_MAX_BYTES = 64 * 1024 * 1024

/** Yields the regular files under a folder that were modified since then and that this user can read. */
export function* filesWrittenSince(folder: string, since: number, depth = 6): Generator<string> {
  for (const entry of quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) yield* filesWrittenSince(path, since, depth - 1)
    const found = entry.isFile() ? quietly(() => statSync(path)) : undefined
    if (found && found.mtimeMs >= since && found.size <= FILE_MAX_BYTES) yield path
  }
}

export type ProcessFacts = { pid: number; commandLine: string; environment: string }

/** Returns the descendants of a process, with the arguments and environment that others can read of them. */
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

/** Reads the second field after the process name, because the name may contain spaces and parentheses. */
function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function read(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'latin1'))
}

/** Ignores errors, because processes exit and files disappear during the search. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
