/**
 * Distinguishes a slow start from a stalled one. A fixed timeout cannot do this, because a start may take over a minute
 * on a busy machine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuMs } from './process-table.ts'

/** Time without progress after which the start of a child process is considered failed. */
export const STALLED_MS = 60_000
const POLL_MS = 1_000
/**
 * Minimum fraction of a CPU that counts as progress. A starting process uses more, and a process that only polls uses
 * less.
 */
const CPU_SHARE_MIN = 0.01
const SAY_MS = STALLED_MS / 4

export type Watched = {
  pid: number
  lines: () => number
  stalledMs: number
}

/**
 * Rejects if no process of a child's group writes a line or uses the CPU for `stalledMs`. Counts polls instead of
 * elapsed time, because the child may also have been suspended while this process was suspended.
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
    // If the total CPU time has decreased, a member of the process group has exited, which counts as progress.
    const hasComputed = now.cpuMs >= seen.cpuMs + cpuMin || now.cpuMs < seen.cpuMs
    if (now.lines === seen.lines && !hasComputed) continue
    seen = now
    idleMs = -pollMs
  }
  throw new Error(`made no progress for ${stalledMs / 1000} s: no output and almost no CPU time`)
}

/** Waits for `work`, and periodically calls `say` with the elapsed seconds until it has finished. */
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
