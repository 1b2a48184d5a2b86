/** Opaque handle of a timer. */
export type TimerHandle = unknown

/** Clocks and timers of a run. `svc test` replaces them. */
export type TimeSource = {
  /** False if `monotonicMs` stands still while the run computes. */
  advances: boolean
  monotonicMs(): number
  /** CPU time of the thread that executes the guest. */
  cpuMs(): number
  setTimeout(callback: () => void, ms: number): TimerHandle
  clearTimeout(timer: TimerHandle): void
}

export const REAL_TIME: TimeSource = {
  advances: true,
  monotonicMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
