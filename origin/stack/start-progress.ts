/** Tells a start that takes long from one that has stopped: on a busy machine a minute says nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuMs } from './process-table.ts'

/** A child that has shown no progress for this long is given up. */
export const STALLED_MS = 60_000
const POLL_MS = 1_000
/** Share of a processor that counts as progress. A process that starts uses more, one that only polls uses less. */
const CPU_SHARE_MIN = 0.01
const SAY_MS = STALLED_MS / 4

export type Watched = {
  pid: number
  /** Lines that the child has written so far. */
  lines: () => number
  stalledMs: number
}

/**
 * Rejects when a child has neither written a line nor used the processor for `stalledMs`, in its whole process group.
 * Polls are counted, not the clock: while this process does not run either, no time passes for the child.
 * @param signal ends the watch
 * @throws {Error} that says since when
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
    // Less than before: a member of the group has ended.
    const hasComputed = now.cpuMs >= seen.cpuMs + cpuMin || now.cpuMs < seen.cpuMs
    if (now.lines === seen.lines && !hasComputed) continue
    seen = now
    idleMs = -pollMs
  }
  throw new Error(
    `made no progress for ${stalledMs / 1000} s: it wrote nothing and hardly computed`,
  )
}

/** Calls `say` with the seconds so far until the work has ended. */
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
