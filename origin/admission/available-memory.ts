import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

type Sources = {
  /** Mount point of the cgroup v2 hierarchy, and the file that names this process's cgroup. */
  cgroupRoot?: string
  ownCgroup?: string
  /** Memory of the machine, and the limit that Node reads from the process's own cgroup, v1 or v2. */
  machineBytes?: number
  constrainedBytes?: number
}

/**
 * Returns the memory that this process may use, in bytes: the smallest limit of its cgroup and the cgroups above, or
 * the memory of the machine.
 */
export function availableMemory({
  cgroupRoot = '/sys/fs/cgroup',
  ownCgroup = '/proc/self/cgroup',
  machineBytes = totalmem(),
  constrainedBytes = process.constrainedMemory(),
}: Sources = {}): number {
  const limits = [machineBytes]
  // Zero if there is no limit, or none that Node can read.
  if (constrainedBytes > 0) limits.push(constrainedBytes)
  // The only line of cgroup v2 begins with "0::". Node does not read the limits of the cgroups above.
  const path = /^0::(\/.*)$/m.exec(textOf(ownCgroup))?.[1]
  for (let at = path; at !== undefined; at = at === '/' ? undefined : dirname(at)) {
    const limit = textOf(join(cgroupRoot, at, 'memory.max')).trim()
    if (/^\d+$/.test(limit)) limits.push(Number(limit))
  }
  return Math.min(...limits)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
