/** Distinguishes a slow start from a stalled one: on a busy machine, a fixed timeout of a minute proves nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuMs } from './process-table.ts'

/** A child that makes no progress for this long has failed to start. */
export const STALLED_MS = 60_000
const POLL_MS = 1_000
/** Fraction of a CPU that counts as progress. A starting process uses more, and a process that only polls uses less. */
const CPU_SHARE_MIN = 0.01
const SAY_MS = STALLED_MS / 4

export type Watched = {
  pid: number
  lines: () => number
  stalledMs: number
}

/**
 * Rejects when no process of a child's group has written a line or used the CPU for `stalledMs`. Counts polls and not
 * elapsed time, so that the child is not blamed while this process is not running either.
 * @param signal stops the watch
 * @throws {Error} with the duration of the stall
 */
export async function stalled(
  { pid, lines, stalledMs }: Watched,
  signal: AbortSignal,
): Promise<never> {
  const pollMs = Math.min(POLL_MS, stalledMs / 4)
  const cpuMin = stalledMs * CPU_SHARE_MIN
  let seen = { lines: lines(), cpuMs: groupCpuMs(pid) }
  for (let idleMs = 0; idleMs < stalledMs; idleMs += pollMs) {
    await sleep(pollMs, undefined, { ref: false, signal })
    const now = { lines: lines(), cpuMs: groupCpuMs(pid) }
    // If the total has decreased, a member of the group has exited.
    const hasComputed = now.cpuMs >= seen.cpuMs + cpuMin || now.cpuMs < seen.cpuMs
    if (now.lines === seen.lines && !hasComputed) continue
    seen = now
    idleMs = -pollMs
  }
  throw new Error(
    `made no progress for ${stalledMs / 1000} s: it wrote nothing and hardly computed`,
  )
}

/** Calls `say` periodically with the elapsed seconds until the work is finished. */
export async function sayWhile<Value>(
  work: Promise<Value>,
  say: (seconds: number) => void,
  everyMs = SAY_MS,
): Promise<Value> {
  const began = performance.now()
  const timer = setInterval(() => say(Math.round((performance.now() - began) / 1000)), everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
