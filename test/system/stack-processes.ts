/** Processes of a running stack, found in its record of children and in `/proc`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupMembers, type ProcessIdentity } from '../../origin/stack/process-table.ts'

/** Pids of the executors of a stack's origin. */
export function executorsOf(stateDir: string): number[] {
  return membersOf(stateDir, 'origin').filter((pid) =>
    commandOf(pid).includes('/executor/executor.'),
  )
}

/** Pid of the main process of a stack's origin. */
export function originOf(stateDir: string): number {
  return leaderOf(stateDir, 'origin').pid
}

/** Pid of the workerd that a stack's edge runs in. */
export function workerdOf(stateDir: string): number {
  const found = membersOf(stateDir, 'edge').find((pid) => commandOf(pid).includes('workerd'))
  if (found === undefined) throw new Error('the edge has no workerd')
  return found
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4096) / 1024 ** 2
}

function leaderOf(stateDir: string, component: string): ProcessIdentity {
  const record = JSON.parse(readFileSync(join(stateDir, 'stack.json'), 'utf8')) as {
    children: { name: string; leader: ProcessIdentity }[]
  }
  // The last one is alive: earlier ones were killed.
  const found = record.children.findLast(({ name }) => name === component)
  if (!found) throw new Error(`the stack has no ${component}`)
  return found.leader
}

const membersOf = (stateDir: string, component: string) =>
  groupMembers(leaderOf(stateDir, component))

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It has ended.
  }
}
