import { readdirSync, readFileSync } from 'node:fs'

/**
 * O_CLOEXEC flag, as shown in /proc. The kernel closes a descriptor with this flag when the process executes a program.
 */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns `stdio` entries that hide this process's inherited descriptors, such as a file opened by a shell, from a
 * child process. Node sets O_CLOEXEC only on the first 16 descriptors. A parent cannot close other descriptors in a
 * child, but can replace them.
 * @param first number of the descriptor that the first entry describes
 * @param by descriptor used as the replacement, which the child may use in any case
 */
export function replacedDescriptors(first: number, by: number): (number | 'ignore')[] {
  const inherited = inheritedDescriptors()
  const length = Math.max(first, ...[...inherited].map((fd) => fd + 1)) - first
  return Array.from({ length }, (_, at) => (inherited.has(first + at) ? by : 'ignore'))
}

let known: ReadonlySet<number> | undefined

/** Computed only once: Node opens all files with O_CLOEXEC, so later descriptors are not inherited. */
function inheritedDescriptors(): ReadonlySet<number> {
  // On other systems, child processes are started with a flag that closes all other descriptors.
  known ??= new Set(process.platform === 'linux' ? openWithoutCloseOnExec() : [])
  return known
}

function openWithoutCloseOnExec(): number[] {
  return readdirSync('/proc/self/fd').map(Number).filter(isInherited)
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // The descriptor with this number was used to read the folder and is already closed.
    return false
  }
}
