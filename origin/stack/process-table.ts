/** Reads the system's process table, to terminate leftover processes of an earlier start, and to measure CPU time. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Includes the start time, because PIDs are reused. */
export type ProcessIdentity = { pid: number; startedAt: string }

type Row = ProcessIdentity & { group: number; cpuMs: number }

export function identify(pid: number): ProcessIdentity | undefined {
  const row = rows().find((candidate) => candidate.pid === pid)
  return row && { pid: row.pid, startedAt: row.startedAt }
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt
}

/**
 * Lists the processes of a process group, even if the group's leader has exited. The system does not reuse a group ID
 * while the group has members.
 */
export function groupMembers(leader: ProcessIdentity): number[] {
  const table = rows()
  const now = table.find((row) => row.pid === leader.pid)
  if (now && now.startedAt !== leader.startedAt) return []
  return table.filter((row) => row.group === leader.pid).map((row) => row.pid)
}

/** Returns the CPU time of a process group, including exited children that the group's members have waited for. */
export function groupCpuMs(group: number): number {
  const members = rows().filter((row) => row.group === group)
  return members.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

/** Duration of a clock tick in `/proc`: 1/100 s on every architecture that Node supports. */
const TICK_MS = 10

function rows(): Row[] {
  return process.platform === 'linux' ? procRows() : psRows()
}

function procRows(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The process name is in parentheses and may contain any character (see proc(5)). Fields 3, 5 and 22 are the
      // state, group and start time. Fields 14 to 17 are the CPU ticks of the process and of its children.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') return []
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      const cpuMs = ticks * TICK_MS
      return [{ pid: Number(name), group: Number(fields[2]), startedAt: fields[19]!, cpuMs }]
    } catch {
      return [] // The process has exited in the meantime.
    }
  })
}

function psRows(): Row[] {
  const columns = 'pid=,pgid=,stat=,time=,lstart='
  const text = execFileSync('ps', ['-axo', columns], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+)$/.exec(line)
    if (!match || match[3]!.startsWith('Z')) return []
    const [pid, group] = [Number(match[1]), Number(match[2])]
    return [{ pid, group, startedAt: match[5]!.trim(), cpuMs: parseCpuTime(match[4]!) }]
  })
}

/** Parses a CPU time in the format of ps: `[[days-]hours:]minutes:seconds`. */
function parseCpuTime(time: string): number {
  const [days, rest] = time.includes('-') ? time.split('-') : ['0', time]
  const seconds = rest!.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return (Number(days) * 86_400 + seconds) * 1000
}
