/** Finds processes of a running stack from its record of children and `/proc`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupMembers, type ProcessIdentity } from '../../origin/stack/process-table.ts'

export function executorsOf(stateDir: string): number[] {
  return membersOf(stateDir, 'origin').filter((pid) =>
    commandOf(pid).includes('/executor/executor.'),
  )
}

export function originOf(stateDir: string): number {
  return leaderOf(stateDir, 'origin').pid
}

/** Process ID of the workerd process of a stack's edge. */
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

/**
 * Memory of a process in MiB that no file backs. Unlike resident memory, it does not fall when the kernel reclaims pages of
 * executables under memory pressure.
 */
export function anonymousMib(pid: number): number {
  const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kib === undefined) throw new Error(`the kernel reports no RssAnon for process ${pid}`)
  return Number(kib) / 1024
}

export function leaderOf(stateDir: string, component: string): ProcessIdentity {
  const record = JSON.parse(readFileSync(join(stateDir, 'stack.json'), 'utf8')) as {
    children: { name: string; leader: ProcessIdentity }[]
  }
  // Earlier entries belong to processes that were killed.
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
    return '' // The process has exited.
  }
}
