import { type ActionFailure, timeoutFailure } from '../failure.ts'

/** Measures the wall time of a run, and the CPU time of the thread that executes the guest. */
export class RunClock {
  readonly #wallMs: number
  readonly #cpuMs: number
  readonly #startedAt = performance.now()
  readonly #cpuAtStart = threadCpuMs()
  reached: 'wall' | 'cpu' | undefined

  constructor(limits: { wallMs: number; cpuMs: number }) {
    this.#wallMs = limits.wallMs
    this.#cpuMs = limits.cpuMs
  }

  elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  usedCpuMs(): number {
    return threadCpuMs() - this.#cpuAtStart
  }

  /** Cheap enough for the interrupt handler. */
  isExpired(): boolean {
    if (this.reached !== undefined) return true
    const elapsed = this.elapsedMs()
    if (elapsed >= this.#wallMs) this.reached = 'wall'
    // CPU time never exceeds wall time, so the CPU clock need not be read earlier.
    else if (elapsed >= this.#cpuMs && this.usedCpuMs() >= this.#cpuMs) this.reached = 'cpu'
    return this.reached !== undefined
  }

  failure(): ActionFailure {
    return timeoutFailure(
      this.reached === 'cpu'
        ? `${this.#cpuMs / 1000} s of CPU time`
        : `${this.#wallMs / 1000} s of time`,
    )
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
