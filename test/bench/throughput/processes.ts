/** CPU time and memory of processes with their descendants, from `/proc`. */
import { readFileSync } from 'node:fs'

/** Duration of a clock tick in `/proc`: 1/100 s on every architecture that Node supports. */
const TICK_MS = 10

/** @returns the process and all its descendants */
export function processTree(pid: number): number[] {
  const children = readOr('', `/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => processTree(Number(child)))]
}

/** CPU time in milliseconds: of the process alone, and of its descendants, including those that have exited. */
export function cpuMs(pid: number): { own: number; descendants: number } {
  const { own, exited } = cpuOf(pid)
  const others = processTree(pid).slice(1).map(cpuOf)
  return { own, descendants: others.reduce((sum, cpu) => sum + cpu.own + cpu.exited, exited) }
}

/** Proportional set size in MiB: memory that several processes share counts once in the sum over the processes. */
export function proportionalMib(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readOr('', `/proc/${pid}/smaps_rollup`))?.[1]
  return Number(kib ?? 0) / 1024
}

function cpuOf(pid: number): { own: number; exited: number } {
  const stat = readOr('', `/proc/${pid}/stat`)
  // The process name is in parentheses and may contain any character. Fields 14 to 17 are the CPU ticks of the process
  // and of its exited children (see proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
  return { own: (user + system) * TICK_MS, exited: (childUser + childSystem) * TICK_MS }
}

/** Reads a file of a process that may exit at any time. */
function readOr(missing: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return missing
  }
}
