/**
 * Distinguishes a slow start from a stalled one. A fixed timeout cannot do so, because a start may take over a minute
 * on a busy machine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuMs } from './process-table.ts'

/** Time without progress after which a start is considered failed. */
export const STALLED_MS = 60_000
const POLL_MS = 1_000
/**
 * Use of one CPU, as a fraction, at which a process counts as making progress. A starting process uses more, and a
 * process that only polls uses less.
 */
const CPU_SHARE_MIN = 0.01
const REPORT_MS = STALLED_MS / 4

type WatchedProcess = {
  pid: number
  lines: () => number
  stalledMs: number
}

/**
 * Rejects if a child's process group neither writes a line nor uses the CPU for `stalledMs`. Counts polls instead of
 * elapsed time, because this process and the child may have been suspended.
 * @throws {Error} with the duration of the stall
 */
export async function rejectIfStalled(
  { pid, lines, stalledMs }: WatchedProcess,
  signal: AbortSignal,
): Promise<never> {
  const pollMs = Math.min(POLL_MS, stalledMs / 4)
  const cpuMin = stalledMs * CPU_SHARE_MIN
  let seen = { lines: lines(), cpuMs: groupCpuMs(pid) }
  for (let idleMs = 0; idleMs < stalledMs; idleMs += pollMs) {
    await sleep(pollMs, undefined, { ref: false, signal })
    const now = { lines: lines(), cpuMs: groupCpuMs(pid) }
    // A decrease means that a member of the process group has exited, which counts as progress.
    const hasComputed = now.cpuMs >= seen.cpuMs + cpuMin || now.cpuMs < seen.cpuMs
    if (now.lines === seen.lines && !hasComputed) continue
    seen = now
    idleMs = -pollMs
  }
  throw new Error(`made no progress for ${stalledMs / 1000} s: no output and almost no CPU time`)
}

export async function reportWhile<Value>(
  work: Promise<Value>,
  report: (seconds: number) => void,
  everyMs = REPORT_MS,
): Promise<Value> {
  const began = performance.now()
  const timer = setInterval(() => report(Math.round((performance.now() - began) / 1000)), everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
