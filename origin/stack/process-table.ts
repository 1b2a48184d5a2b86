/** Which processes there are, to end what an earlier start left behind and nothing else. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A process, told apart from a later one with the same pid by when it started. */
export type ProcessIdentity = { pid: number; startedAt: string }

type Row = ProcessIdentity & { group: number }

/** The identity of a running process, or `undefined`. */
export function identify(pid: number): ProcessIdentity | undefined {
  const row = rows().find((candidate) => candidate.pid === pid)
  return row && { pid: row.pid, startedAt: row.startedAt }
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt
}

/**
 * The processes of a group that a leader of ours began: also when the leader itself is gone, for a group's
 * number is not given away while anybody is in it.
 */
export function groupMembers(leader: ProcessIdentity): number[] {
  const table = rows()
  const now = table.find((row) => row.pid === leader.pid)
  if (now && now.startedAt !== leader.startedAt) return []
  return table.filter((row) => row.group === leader.pid).map((row) => row.pid)
}

function rows(): Row[] {
  return process.platform === 'linux' ? procRows() : psRows()
}

function procRows(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // proc(5): the name in parentheses may hold anything; fields 3, 5 and 22 are state, group and start.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') return []
      return [{ pid: Number(name), group: Number(fields[2]), startedAt: fields[19]! }]
    } catch {
      return [] // it ended while we looked
    }
  })
}

function psRows(): Row[] {
  const text = execFileSync('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line)
    if (!match || match[3]!.startsWith('Z')) return []
    return [{ pid: Number(match[1]), group: Number(match[2]), startedAt: match[4]!.trim() }]
  })
}
