import { readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC of Linux, as shown in /proc. The system closes the descriptor when the process executes a program. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns `stdio` entries that hide descriptors inherited by this process, such as a file opened by a shell, from a
 * child. Node sets O_CLOEXEC only for the first 16. A parent can replace a descriptor in its child but cannot close it
 * there.
 * @param first number of the first entry's descriptor
 * @param by a descriptor that the child has anyway
 */
export function replacedDescriptors(first: number, by: number): (number | 'ignore')[] {
  const inherited = inheritedDescriptors()
  const length = Math.max(first, ...[...inherited].map((fd) => fd + 1)) - first
  return Array.from({ length }, (_, at) => (inherited.has(first + at) ? by : 'ignore'))
}

let known: ReadonlySet<number> | undefined

/** Read once. Node opens everything with O_CLOEXEC, so descriptors that are opened later are not inherited. */
function inheritedDescriptors(): ReadonlySet<number> {
  // On other systems, programs are started with a flag that closes all other descriptors.
  known ??= new Set(process.platform === 'linux' ? openWithoutCloseOnExec() : [])
  return known
}

function openWithoutCloseOnExec(): number[] {
  return readdirSync('/proc/self/fd').map(Number).filter(staysOpen)
}

function staysOpen(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // The descriptor that was used to read the folder.
    return false
  }
}
