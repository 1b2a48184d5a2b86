import { readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC of Linux, as /proc shows it: the system closes the descriptor in a program that is started. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Entries of `stdio` that keep descriptors which this process inherited, such as a shell's open file, from a child. Node
 * sets O_CLOEXEC for the first 16 alone. A parent can replace a descriptor in its child but not close it there.
 * @param first descriptor that the entries begin with
 * @param by descriptor that the child has anyway
 */
export function replacedDescriptors(first: number, by: number): (number | 'ignore')[] {
  const inherited = inheritedDescriptors()
  const length = Math.max(first, ...[...inherited].map((fd) => fd + 1)) - first
  return Array.from({ length }, (_, at) => (inherited.has(first + at) ? by : 'ignore'))
}

let known: ReadonlySet<number> | undefined

/** Read once: Node opens everything with O_CLOEXEC, so what is opened later is not inherited. */
function inheritedDescriptors(): ReadonlySet<number> {
  // Other systems start programs with a flag that closes everything else.
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
    // The descriptor with which the folder was read.
    return false
  }
}
